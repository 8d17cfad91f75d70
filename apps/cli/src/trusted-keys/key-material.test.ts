import type { RequestListener } from 'node:http';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cer } from '../testing/console.js';
import { sample } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';

const keys = readFileSync(sample('keys.json'));
const servers = new LocalServers();

afterEach(() => servers.close());

describe('--keys URL', () => {
  it("fetches the node's well-known keys and reports time and transport", async () => {
    const asked: (string | undefined)[] = [];
    const base = await servers.serve((request, response) => {
      asked.push(request.url);
      response.setHeader('connection', 'close').end(keys);
    });
    for (const source of [base, `${base}/`, `${base}/some/keys.json`]) {
      const { exitCode, stdout } = await cer(['verify', sample('certified.json'), '--keys', source]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/Keys from +address http:.*\.json,\s+fetched\s+2026-03-01T00:00:00\.000Z/);
      expect(stdout).toContain('an attacker on the network could have changed them');
    }
    expect(asked).toEqual(['/.well-known/svc-node.json', '/.well-known/svc-node.json', '/some/keys.json']);
  });

  it.each<[string, RequestListener, string]>([
    ['an error', (_, response) => response.writeHead(500).end(), 'status 500'],
    ['a redirect', (_, response) => response.writeHead(302, { location: 'http://x.example' }).end(), 'redirects'],
    ['something else', (_, response) => response.end('<html>'), 'not strict JSON'],
    ['no key set', (_, response) => response.end('{}'), 'nodeId must be a string'],
    ['more than a megabyte', (_, response) => response.end(Buffer.alloc(2_000_000, 32)), 'larger than 1048576'],
    ['a cut connection', (request) => request.socket.destroy(), 'no connection'],
  ])('leaves the signature unchecked when the node answers with %s', async (_, listener, why) => {
    const base = await servers.serve(listener);
    const { exitCode, stdout, stderr } = await cer(['verify', sample('certified.json'), '--keys', base, '--json']);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ reason: 'VERIFICATION_MATERIAL_UNAVAILABLE' });
    expect(JSON.parse(stdout)).toMatchObject({ keySet: { unavailable: expect.stringContaining(why) } });
  });

  it('does not ask for keys that could not be fetched', async () => {
    const base = await servers.serve((_, response) => response.writeHead(404).end());
    const nextStep = async (keys: readonly string[]): Promise<string | undefined> => {
      const { stdout } = await cer(['verify', sample('certified.json'), ...keys]);
      return /What to do next\n([^]*?)\n\n/.exec(stdout)?.[1]?.replaceAll(/\s+/g, ' ').trim();
    };
    expect(await nextStep([])).toMatch(/^Pass the keys of the node: /);
    expect(await nextStep(['--keys', base])).toMatch(/^The keys that you named were not used: /);
  });
});
