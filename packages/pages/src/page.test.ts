import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRouter } from '@cer/http-service';
import { serve, silentLogger } from '@cer/http-service/process';
import { describe, expect, it } from '@jest/globals';
import { asset, stylesheet } from './assets.js';
import { renderDocument } from './document.js';
import { html } from './html.js';
import { notFoundContent } from './not-found.js';
import { pageHeaders } from './page-headers.js';
import { isSameOrigin } from './same-origin.js';

const ORIGIN = 'https://site.example';

describe('the policy of a page', () => {
  const policyOf = (hasScripts: boolean): string | undefined =>
    pageHeaders({ publicUrl: ORIGIN, formAction: ["'self'", 'https://other.example'], hasScripts })[
      'content-security-policy'
    ];

  it('forbids scripts on pages without them', () => {
    expect(policyOf(false)).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https://other.example; base-uri 'none'; frame-ancestors 'none'",
    );
  });

  it('allows scripts of the site alone', () => {
    expect(policyOf(true)).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self' https://other.example; base-uri 'none'; frame-ancestors 'none'",
    );
  });

  it('requires https on https sites only', () => {
    const policy = { formAction: ["'none'"], hasScripts: false };
    expect(pageHeaders({ ...policy, publicUrl: ORIGIN })).toHaveProperty('strict-transport-security');
    expect(pageHeaders({ ...policy, publicUrl: 'http://localhost:1' })).not.toHaveProperty('strict-transport-security');
  });
});

describe('a document', () => {
  const content = { site: 'Site', title: '<title>', stylesheet: '/s.css', main: html`<p>content</p>` };

  it('escapes its title', () => {
    expect(renderDocument(content)).toContain('<title>&#60;title&#62; – Site</title>');
  });

  it('has navigation with a session only', () => {
    const places = [{ href: '/here', name: 'Here', isCurrent: true }];
    const signedIn = { account: 'Acme', email: 'a@example.org', signOut: html`<button>Sign out</button>`, places };
    expect(renderDocument(content)).not.toContain('<nav');
    expect(renderDocument({ ...content, signedIn })).toContain('<a href="/here" aria-current="page">Here</a>');
  });

  it('loads scripts only when it has some', () => {
    expect(renderDocument(content)).not.toContain('<script');
    expect(renderDocument({ ...content, script: '/a.js' })).toContain('<script src="/a.js" defer></script>');
  });

  it('leads back from a path without a page', () => {
    const { status, body } = notFoundContent('the overview');
    expect(status).toBe(404);
    expect(body.text).toContain('<a class="button" href="/">Go to the overview</a>');
  });
});

describe('an asset', () => {
  it('has a path that changes with its content', () => {
    const paths = ['a', 'b'].map((text) => asset('a.css', Buffer.from(text)).path);
    expect(paths[0]).toMatch(/^\/assets\/[0-9a-f]{16}\/a\.css$/);
    expect(paths[0]).not.toBe(paths[1]);
  });

  it('has a known type', () => {
    expect(() => asset('a.html', Buffer.from(''))).toThrow('a.html: assets are .css, .js or .svg');
  });

  it('has own styles behind tokens and base styles', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cer-pages-'));
    writeFileSync(join(folder, 'own.css'), '.own {}');
    const { path, route } = stylesheet('own.css', join(folder, 'own.css'));
    rmSync(folder, { recursive: true });
    const logger = silentLogger();
    const server = await serve(createRouter([route], { logger, statusOf: { NOT_FOUND: 404 } }), {
      host: '127.0.0.1',
      port: 0,
      logger,
    });
    const response = await fetch(server.url + path);
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).toMatch(/--page: [^]*\.card \{[^]*\.own \{\}$/);
    await server.close();
  });
});

describe('a request of a page of this site', () => {
  it.each([
    [{ origin: ORIGIN }, true],
    [{ origin: ORIGIN, 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: ORIGIN, 'sec-fetch-site': 'cross-site' }, false],
    [{ origin: 'https://other.example' }, false],
    [{ origin: 'null' }, false],
    [{}, false],
  ])('is known by its headers %j', (headers, expected) => {
    expect(isSameOrigin({ headers }, ORIGIN)).toBe(expected);
  });
});
