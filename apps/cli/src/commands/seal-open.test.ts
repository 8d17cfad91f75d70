import { readFileSync, statSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { greyPng } from '@cer/cer-core/testing';
import { cer } from '../testing/console.js';
import { Folder, readSample, sample } from '../testing/files.js';

const folder = new Folder();
afterAll(() => {
  folder.remove();
});

describe('cer seal', () => {
  it('seals an execution to the bytes of the sample', async () => {
    const said = await cer(['seal', sample('execution.json')]);
    expect(said).toEqual({ exitCode: 0, stdout: readFileSync(sample('sealed.json'), 'utf8'), stderr: '' });
  });

  it('writes random salts to a new private file', async () => {
    const path = folder.file('openings.json');
    const said = await cer(['seal', sample('confidential-execution.json'), '--openings', path]);
    expect(said.exitCode).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(said.stdout + said.stderr).not.toContain('CQkJCQkJ');
    const again = await cer(['seal', sample('confidential-execution.json'), '--openings', path]);
    expect(again).toMatchObject({ exitCode: 3, stdout: '' });
    expect(again.stderr).toContain('exists already');

    const certificate = folder.write('confidential.json', said.stdout);
    const opened = await cer(['open', certificate, '--field', 'output', '--openings', path, '--json-file', output()]);
    expect(opened).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('reproduces the sample from given salts', async () => {
    const { stdout } = await cer([
      'seal',
      sample('confidential-execution.json'),
      '--salts',
      sample('confidential-openings.json'),
    ]);
    const { meta } = readSample('confidential.json');
    expect({ ...(JSON.parse(stdout) as JsonObject), meta }).toEqual(readSample('confidential.json'));
  });

  it('refuses salts for a protocol that seals nothing', async () => {
    const said = await cer(['seal', sample('execution.json'), '--salts', sample('confidential-openings.json')]);
    expect(said).toEqual({ exitCode: 3, stdout: '', stderr: 'cer: --salts: only protocol 1.3.1 uses salts\n' });
  });

  it('warns that unrequested openings are lost', async () => {
    const { stderr } = await cer(['seal', sample('confidential-execution.json')]);
    expect(stderr).toMatch(/^cer: the random salts were discarded[^\n]*\n$/);
  });

  it('names every fault of a description and no value', async () => {
    const path = folder.write('faulty.json', {
      provider: 'secret-provider\u0000',
      input: 'secret',
      outputHash: 'secret',
    });
    const { exitCode, stdout, stderr } = await cer(['seal', path]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      status: 'FAILED',
      reason: 'VALIDATION_ERROR',
      details: [
        expect.stringContaining('provider'),
        expect.stringContaining('model'),
        expect.stringContaining('outputHash'),
      ],
    });
    expect(stderr).not.toContain('secret');
  });

  it('refuses a member that is nested deeper than a node takes', async () => {
    const sealed = (levels: number): ReturnType<typeof cer> => {
      const input = '['.repeat(levels) + ']'.repeat(levels);
      return cer(['seal', folder.write('deep.json', `{"provider":"p","model":"m","input":${input},"output":""}`)]);
    };
    expect(await sealed(96)).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stdout, stderr } = await sealed(97);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    const details = ['input: nested deeper than 96 levels'];
    expect(JSON.parse(stderr)).toMatchObject({ reason: 'BUNDLE_CORRUPTED', details });
  });
});

describe('cer open', () => {
  const openings = sample('confidential-openings.json');
  const certificate = sample('confidential.json');

  it('opens one field with its value and salt', async () => {
    const { input: opening } = readSample('confidential-openings.json');
    const salt = isJsonObject(opening) && typeof opening['salt'] === 'string' ? opening['salt'] : '';
    const argv = ['open', certificate, '--field', 'input', '--salt', salt, '--json-file', input()];
    expect(await cer(argv)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('opens a field by its opening alone', async () => {
    const { input: opening = null } = readSample('confidential-openings.json');
    const argv = [
      'open',
      certificate,
      '--json-file',
      input(),
      '--openings',
      folder.write('one.json', { input: opening }),
    ];
    expect(await cer([...argv, '--field', 'input'])).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stderr } = await cer([...argv, '--field', 'output']);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('one.json: output.salt: must be base64url')]);
  });

  it('takes the salt from a whole answer of certify', async () => {
    const answer = {
      ok: true,
      cer: readSample('confidential.json'),
      openings: readSample('confidential-openings.json'),
    };
    const path = folder.write('answer.json', { ...answer, warnings: ['a sentence '.repeat(10_000)] });
    const argv = ['open', path, '--field', 'input', '--json-file', input(), '--openings', path];
    expect(await cer(argv)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('names a picture where JSON is expected', async () => {
    const picture = folder.write('picture.png', greyPng(1));
    for (const argv of [
      ['open', picture, '--field', 'input', '--openings', openings, '--text', 'x'],
      ['render', '--verify', picture, '--code', output()],
      ['verify-project', picture],
      ['verify', sample('certified.json'), '--keys', picture],
    ]) {
      const { exitCode, stdout, stderr } = await cer(argv);
      expect([exitCode, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(/picture\.png: is a picture \(PNG\), JSON is expected; /);
    }
  });

  it('refuses another value, another type and the other salt', async () => {
    const text = folder.write('as-text.json', readFileSync(input(), 'utf8'));
    for (const argv of [
      ['--field', 'output', '--json-file', input()],
      ['--field', 'input', '--text-file', text],
      ['--field', 'input', '--text', 'guess'],
    ]) {
      const { exitCode, stdout, stderr } = await cer(['open', certificate, '--openings', openings, ...argv]);
      expect(exitCode).toBe(1);
      expect(stdout).toMatch(/^NOT OPENED: this value is not the sealed (input|output)\n/);
      expect(JSON.parse(stderr)).toMatchObject({ status: 'FAILED', reason: expect.stringMatching(/_HASH_MISMATCH$/) });
    }
  });

  it('does not open a certificate that was changed', async () => {
    const changed = folder.write('changed.json', {
      ...readSample('confidential.json'),
      createdAt: '2020-01-01T00:00:00Z',
    });
    const argv = ['open', changed, '--field', 'input', '--openings', openings, '--json-file', input()];
    const { exitCode, stdout, stderr } = await cer(argv);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^NOT OPENED: the certificate failed verification\n/);
    expect(JSON.parse(stderr)).toMatchObject({ reason: 'CERTIFICATE_HASH_MISMATCH' });
  });

  it('refuses to open an unsealed value', async () => {
    const argv = ['open', sample('certified.json'), '--field', 'input', '--openings', openings, '--text', 'x'];
    const { exitCode, stdout } = await cer(argv);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^NOT OPENED: the input of this certificate is not sealed\n/);
  });

  it.each([
    [['--field', 'prompt', '--salt', 'x', '--text', 'x'], '--field: must be input or output'],
    [['--field', 'input', '--salt', 'short', '--text', 'x'], '--salt: must be base64url of 32 bytes'],
    [['--field', 'input', '--text', 'x'], 'exactly one of --salt and --openings'],
    [['--field', 'input', '--openings', openings], 'exactly one of --text'],
    [['--field', 'input', '--openings', certificate, '--text', 'x'], 'input.salt: must be base64url'],
  ])('%j is a wrong call', async (args, line) => {
    const said = await cer(['open', certificate, ...args]);
    expect(said).toMatchObject({ exitCode: 3, stdout: '' });
    expect(said.stderr).toContain(line);
  });
});

function value(name: 'input' | 'output'): string {
  const raw = readSample('confidential-execution.json')[name];
  return folder.write(`${name}.json`, JSON.stringify(raw));
}
const input = (): string => value('input');
const output = (): string => value('output');
