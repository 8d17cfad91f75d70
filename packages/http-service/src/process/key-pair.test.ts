import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { builtProgram } from '../testing/built-program.js';
import { newKeyPair } from './key-pair.js';

it.each([
  ['ec', { kty: 'EC', crv: 'P-256' }],
  ['rsa', { kty: 'RSA', e: 'AQAB' }],
] as const)('makes a pair of type %s', (type, members) => {
  const { privateKey, publicKey } = newKeyPair(type);
  const published = publicKey.export({ format: 'jwk' });
  expect(published).toMatchObject(members);
  expect(privateKey.export({ format: 'jwk' })).toMatchObject(published);
});

it('makes pairs whose export does not wait for itself', async () => {
  // Node.js 20 stood still within some thousand keys: a collection must fall into an export.
  const program = `
    const { newKeyPair } = await import(${JSON.stringify(pathToFileURL(builtProgram('packages/http-service/src/process/key-pair.ts')).href)});
    for (let at = 0; at < 5000; at += 1) newKeyPair('ec').privateKey.export({ format: 'jwk' });
    console.log('done');
  `;
  const options = ['--max-semi-space-size=1', '--input-type=module', '--eval', program];
  // Ends a process that waits forever.
  const { stdout } = await promisify(execFile)(process.execPath, options, { timeout: 150_000, killSignal: 'SIGKILL' });
  expect(stdout).toBe('done\n');
});
