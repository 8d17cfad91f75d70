import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { certificates } from './certificates.js';
import { createNodeClient } from './node-client.js';
import { settingsOf } from './settings.js';

const GOOD = { appId: 'tests', nodeUrl: 'http://127.0.0.1:1', spoolDir: null };

const SEALED = { prompt: 'x', onOpenings: (): void => undefined };

/** As a program without types calls it. */
const untyped: (options?: unknown) => unknown = (options) => Reflect.apply(certificates, undefined, [options]);

describe('options of a program without types', () => {
  it.each([
    [{ appId: '' }, 'appId: must be a string of 1 to 256 characters'],
    [{ appId: 'a\n' }, 'appId: must be a string of 1 to 256 characters, none of them a control character'],
    [{ appId: 5 }, 'appId: must be a string of 1 to 256 characters'],
    [{ apiKey: 5 }, 'apiKey: must be a string'],
    [{ spoolDir: 5 }, 'spoolDir: must be a string, or null'],
    [{ maxSpoolBytes: '1GB' }, 'maxSpoolBytes: must be a number, at least 0'],
    [{ timeoutMs: Number.NaN }, 'timeoutMs: must be a number, at least 0'],
    [{ onFull: 'throw' }, 'onFull: must be one of count, throw-before-call'],
    [{ protocol: '1.2' }, 'protocol: must be one of 1.2.0, 1.3.0, 1.3.1'],
    [{ certify: true }, 'certify: must be a function'],
    [{ onCertified: 'log' }, 'onCertified: must be a function'],
    [{ confidential: true }, 'confidential: must be an object with the string prompt and the function onOpenings'],
    [{ confidential: { prompt: 'x' } }, 'confidential: must be an object with'],
    [{ confidential: { ...SEALED, prompt: '' } }, 'confidential.prompt: must be a non-empty string'],
    [{ confidential: { ...SEALED, prompt: '\ud800' } }, 'confidential.prompt: must not contain a lone surrogate'],
    [{ confidential: { ...SEALED, parameters: null } }, 'confidential.parameters: must be an object'],
    [{ confidential: { ...SEALED, parameters: { max_tokens: 5 } } }, 'confidential.parameters: must have exactly'],
    [
      { confidential: { ...SEALED, parameters: { temperature: '0' } } },
      'confidential.parameters.temperature: must be a finite number',
    ],
    [{ coverage: true }, 'coverage: must be an object, and its everyMs a number above 0'],
    [{ coverage: { everyMs: '1m' } }, 'coverage: must be an object, and its everyMs a number above 0'],
    [{ redation: { name: 'x' } }, 'redation: is not an option. The options are appId, nodeUrl, apiKey, '],
    [{ toString: 'x' }, 'toString: is not an option'],
    [{ appId: undefined }, 'appId: is required'],
  ])('refuses %p', (options, message) => {
    expect(() => untyped({ ...GOOD, ...options })).toThrow(message);
  });

  it('takes an empty variable for a missing one', () => {
    const { CER_SPOOL_DIR } = process.env;
    process.env['CER_SPOOL_DIR'] = '';
    expect(settingsOf({ appId: 'tests', nodeUrl: 'http://127.0.0.1:1' }).spoolDir).toBe('.cer-spool');
    if (CER_SPOOL_DIR === undefined) delete process.env['CER_SPOOL_DIR'];
    else process.env['CER_SPOOL_DIR'] = CER_SPOOL_DIR;
  });

  it('names what it takes when nothing is given', () => {
    expect(() => untyped()).toThrow("certificates: takes an object of options, such as { appId: 'travel-desk' }");
  });

  it('takes every option that types take, also undefined', () => {
    const hook = (): void => undefined;
    const given = { coverage: {}, certify: undefined, onError: hook, maxSpoolBytes: Infinity, retries: 0 };
    expect(() => untyped({ ...GOOD, ...given })).not.toThrow();
    for (const parameters of [undefined, { maxTokens: 5, seed: 1 }]) {
      expect(() => untyped({ ...GOOD, confidential: { ...SEALED, parameters } })).not.toThrow();
    }
  });

  it('says what the functions of a client take', async () => {
    const cer = certificates(GOOD);
    const call = (of: object, name: string, ...given: readonly unknown[]): (() => unknown) => {
      const called: unknown = Reflect.get(of, name);
      if (typeof called !== 'function') throw new Error(`${name} is not a function`);
      const result: () => unknown = () => Reflect.apply(called, of, given);
      return result;
    };
    for (const given of ['http://x/chat/completions', new URL('http://x/'), new Request('http://x/'), fetch, null]) {
      expect(call(cer, 'fetch', given)).toThrow(/^cer\.fetch: takes .* pass cer\.fetch\(\), not cer\.fetch$/);
    }
    expect(call(cer, 'fetch', { provider: '' })).toThrow('provider: must be a string of 1 to 256 characters');
    for (const client of [undefined, 'sk-x', URL, {}]) {
      expect(call(cer, 'openai', client)).toThrow('openai: takes a client of the SDK, such as new OpenAI()');
      expect(call(cer, 'anthropic', client)).toThrow('anthropic: takes a client of the SDK, such as new Anthropic()');
    }
    for (const given of [[() => 1], ['case-7', () => 1], [{}, () => 1], [{ project: 'case-7' }]]) {
      await expect(call(cer, 'run', ...given)()).rejects.toThrow('run: takes { project }, such as');
    }
    expect(call(cer, 'fetch', { provider: 'a\u0080' })).toThrow('none of them a control character or a lone surrogate');
    expect(call(cer, 'tool', '\ud800', () => 1)).toThrow('the name must not contain a control character');
    for (const given of [[() => 1], ['weather']]) {
      expect(call(cer, 'tool', ...given)).toThrow('tool: takes a name and a function, such as');
    }
    expect(call(cer.node, 'lookup', 'sha256:x')).toThrow('lookup: takes { certificateHash } or { executionId }');
    await cer.close();
  });

  it('says where certificates wait when the folder of the spool is a file', async () => {
    const faults: unknown[] = [];
    const spoolDir = fileURLToPath(import.meta.url);
    const cer = certificates({ ...GOOD, spoolDir, onError: (error) => faults.push(error) });
    await cer.close();
    expect(faults).toEqual([
      new Error(
        `the spool ${spoolDir} cannot be used (ENOTDIR): certificates wait in memory, and end with the process`,
      ),
    ]);
  });

  it.each([[{}], [{ nodeUrl: '127.0.0.1:4100' }]])('a client of the node refuses %p', (options) => {
    const create: () => unknown = () => Reflect.apply(createNodeClient, undefined, [options]);
    expect(create).toThrow('nodeUrl: must be a http or https address, such as http://127.0.0.1:4100');
  });
});
