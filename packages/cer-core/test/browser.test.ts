import { webcrypto } from 'node:crypto';
import { createContext, runInContext, type Context } from 'node:vm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { describeInChromium } from '@cer/test-browser';
import { bundleForBrowsers } from './browser/bundle.js';
import { evaluateInChromium } from './browser/chromium.js';
import type { BackendName } from './browser/page.js';
import { committedCase, committedCases } from './vectors/committed.js';

const cases = JSON.stringify(committedCases());
const failing = (json: unknown): readonly string[] => Object.keys(JSON.parse(String(json)) as object);
const callWith = (json: string, backend: BackendName): string =>
  `cerVectors.runVectors(${JSON.stringify(json)}, '${backend}')`;

let script = '';
beforeAll(async () => {
  script = await bundleForBrowsers();
});

/**
 * Globals of every browser. Node's TextEncoder makes arrays of the outer realm, so the realm gets that Uint8Array too.
 */
function realmWith(globals: object): Context {
  return createContext({ TextEncoder, TextDecoder, Uint8Array, ...globals });
}

/** In a realm of node:vm every access to a global costs a call: as locals they are as fast as in a browser. */
function withLocalGlobals(source: string): string {
  const names = 'Math, Float64Array, Uint8Array, Uint32Array, Object, Array, String, Number, JSON';
  return `var cerVectors = (function (${names}) { ${source}; return cerVectors; })(${names});`;
}

/** Runs in a realm without Node. @returns the names of the failing cases */
async function runInRealm(backend: BackendName, globals: object): Promise<readonly string[]> {
  const realm = realmWith(globals);
  runInContext(withLocalGlobals(script), realm);
  expect(runInContext('typeof process + typeof require + typeof Buffer', realm)).toBe('undefinedundefinedundefined');
  return failing(await runInContext(callWith(cases, backend), realm));
}

describe('the browser bundle', () => {
  it('needs no Node builtin', () => {
    expect(script.length).toBeGreaterThan(10_000);
    expect(script).not.toMatch(/require\("node:|from "node:/);
  });

  it('verifies every vector in a realm without Node, on WebCrypto', async () => {
    await expect(runInRealm('webcrypto', { crypto: webcrypto })).resolves.toEqual([]);
  });

  it('verifies every vector on tweetnacl, without Node or WebCrypto', async () => {
    await expect(runInRealm('tweetnacl', {})).resolves.toEqual([]);
  }, 300_000);

  it('reports a failing vector', async () => {
    const first = committedCase('v1-sealed-1-2-0');
    const wrong = JSON.stringify([{ ...first, expected: { status: 'FAILED' } }]);
    const realm = realmWith({});
    runInContext(script, realm);
    await expect(runInContext(callWith(wrong, 'platform'), realm)).resolves.toBe(
      '{"v1-sealed-1-2-0":{"status":"FAILED"}}',
    );
  });
});

describeInChromium('Chromium', () => {
  it('verifies every vector on its own Ed25519 and on tweetnacl', async () => {
    // A browser's start on a busy machine takes longer than any of our code.
    const answers = await evaluateInChromium(script, [
      'String(isSecureContext)',
      callWith(cases, 'platform'),
      callWith(cases, 'tweetnacl'),
    ]);
    expect(answers[0]).toBe('true');
    expect(answers.slice(1).map(failing)).toEqual([[], []]);
  }, 300_000);
});
