import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { verifySignature, type Signer } from '@cer/keys';
import { SIGNER_RULES } from '@cer/keys/testing';
import { connectToken, Pkcs11Error, type ConnectionOptions, type Token, type TokenAddress } from '@cer/pkcs11';
import { describeWithToken, makeToken, TOKEN_LABEL, type TestToken } from '@cer/pkcs11/testing';
import { countPinsOf } from './counting-token.js';

const message = new TextEncoder().encode('receipt');
/** On a loaded machine starting a process takes longer than the node's timeout. */
const PATIENT = { timeoutMs: 60_000 };
const opened: Token[] = [];
let hsm: TestToken;

async function open(change: Partial<TokenAddress> = {}, options: Partial<ConnectionOptions> = {}): Promise<Token> {
  const settings = { ...PATIENT, environment: hsm.environment, reopenAfterMs: 0, ...options };
  const token = connectToken({ ...hsm.address, ...change }, settings);
  opened.push(token);
  await token.listKeys();
  return token;
}

async function refusalOf(act: Promise<unknown>): Promise<Pkcs11Error> {
  const error: unknown = await act.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof Pkcs11Error) return error;
  throw new Error('was not refused', { cause: error });
}

/** Live child processes of this process. */
function children(): number[] {
  const tasks = `/proc/${process.pid}/task`;
  return readdirSync(tasks)
    .flatMap((task) =>
      textOf(join(tasks, task, 'children'))
        .trim()
        .split(' '),
    )
    .filter((pid) => pid !== '' && commandOf(pid).includes('dist/process/main.js'))
    .map(Number);
}

function commandOf(pid: number | string): string {
  return textOf(`/proc/${pid}/cmdline`);
}

/** Empty for a thread or process that ended after it was listed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** An ended process disappears with a short delay. */
async function noChildIsLeft(): Promise<void> {
  while (children().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

function useHsm(): void {
  beforeAll(() => {
    hsm = makeToken();
  });
  afterEach(async () => {
    if (opened.length === 0) return;
    for (const token of opened.splice(0)) token.close();
    await noChildIsLeft();
  });
  afterAll(() => {
    hsm.remove();
  });
}

describeWithToken('a signer on a token', () => {
  useHsm();
  let token: Token;
  let signer: Signer;
  beforeAll(async () => {
    // Not through `open`, which closes after each test.
    token = connectToken(hsm.address, { ...PATIENT, environment: hsm.environment });
    signer = await token.createKey('contract');
  });
  afterAll(() => {
    token.close();
  });

  it.each(SIGNER_RULES)('$sentence', async ({ holds }) => {
    expect(await holds(signer)).toBe(true);
  });

  it('does not block the event loop while signing', async () => {
    let hasTurned = false;
    const turn = new Promise((resolve) => setImmediate(resolve)).then(() => (hasTurned = true));
    const first = await Promise.race([turn, signer.sign(new Uint8Array(1024 * 1024))]);
    expect(first).toBe(true);
    expect(hasTurned).toBe(true);
  });
});

describeWithToken('keys on a token', () => {
  useHsm();

  it('are created, listed, opened elsewhere and erased', async () => {
    const maker = await open();
    const made = await maker.createKey('first');
    const user = await open();
    expect(await user.listKeys()).toEqual([{ kid: made.kid, label: 'first', point: made.publicKey.raw }]);
    const signer = await user.openKey(made.kid);
    expect(signer.publicKey).toEqual(made.publicKey);
    expect(await verifySignature(made.publicKey, message, await signer.sign(message))).toBe(true);
    await user.destroyKey(made.kid);
    expect(await user.listKeys()).toEqual([]);
    expect((await refusalOf(user.openKey(made.kid))).code).toBe('PKCS11_KEY_NOT_FOUND');
    expect((await refusalOf(user.destroyKey(made.kid))).code).toBe('PKCS11_KEY_NOT_FOUND');
    expect((await refusalOf(signer.sign(message))).code).not.toBe('PKCS11_SIGNATURE_INVALID');
  });

  it('cannot be exported from the token', async () => {
    await (await open()).createKey('kept');
    const program = join(import.meta.dirname, 'read-out.mjs');
    const said = execFileSync(process.execPath, [program, hsm.address.modulePath, TOKEN_LABEL, hsm.pin], {
      env: hsm.environment,
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toEqual([
      { value: 'CKR_ATTRIBUTE_SENSITIVE', sensitive: '01', extractable: '00', neverExtractable: '01' },
    ]);
  });

  it.each(['', 'x'.repeat(65)])('have labels of 1 to 64 characters', async (label) => {
    await expect((await open()).createKey(label)).rejects.toThrow(RangeError);
  });
});

describeWithToken('a token that was absent', () => {
  useHsm();

  it('signs with the same key once it is back', async () => {
    const token = await open();
    const signer = await token.createKey('recovers');
    hsm.pullOut();
    expect((await refusalOf(signer.sign(message))).code).toBe('PKCS11_UNAVAILABLE');
    expect((await refusalOf(signer.sign(message))).code).toBe('PKCS11_UNAVAILABLE');
    hsm.plugIn();
    expect(await verifySignature(signer.publicKey, message, await signer.sign(message))).toBe(true);
  });

  it('survives invalidated handles between two calls', async () => {
    const signer = await (await open()).createKey('handles');
    hsm.pullOut();
    hsm.plugIn();
    const signatures = await Promise.all(Array.from({ length: 20 }, () => signer.sign(message)));
    const verdicts = signatures.map((signature) => verifySignature(signer.publicKey, message, signature));
    expect(await Promise.all(verdicts)).not.toContain(false);
  });

  it('survives module crashes between and during calls', async () => {
    const signer = await (await open()).createKey('crashes');
    const [before] = children();
    process.kill(before ?? 0, 'SIGKILL');
    expect(await signer.sign(message)).toHaveLength(64);
    const [after] = children();
    expect(after).not.toBe(before);
    const signing = Promise.all(Array.from({ length: 50 }, () => signer.sign(message)));
    process.kill(after ?? 0, 'SIGKILL');
    expect((await signing).every((signature) => signature.length === 64)).toBe(true);
  });

  it('is not tried again on every request', async () => {
    const token = await open({}, { reopenAfterMs: 3_600_000 });
    const signer = await token.createKey('pause');
    hsm.pullOut();
    await refusalOf(signer.sign(message));
    await noChildIsLeft();
    hsm.plugIn();
    // Within the minimum interval no process is started.
    expect((await refusalOf(signer.sign(message))).code).toBe('PKCS11_UNAVAILABLE');
    expect(children()).toEqual([]);
  });

  it('ends its process on close', async () => {
    const token = await open();
    const signer = await token.createKey('closed');
    token.close();
    expect((await refusalOf(signer.sign(message))).message).toContain('was closed');
  });
});

describeWithToken('opening a token', () => {
  useHsm();

  it('tries a wrong PIN once until its file changes', async () => {
    const token = await open();
    const signer = await token.createKey('pin');
    hsm.writePin('wrong');
    process.kill(children()[0] ?? 0, 'SIGKILL');
    for (let at = 0; at < 20; at++) expect((await refusalOf(signer.sign(message))).code).toBe('PKCS11_PIN_REFUSED');
    await noChildIsLeft();
    hsm.writePin(hsm.pin);
    expect(await signer.sign(message)).toHaveLength(64);
  });

  it('never locks it, and recovers without a restart', async () => {
    const counting = countPinsOf(hsm);
    if (counting === null) return;
    const { modulePath, environment, wrongPins, setWrongPins } = counting;
    hsm.writePin('wrong');
    // Processes that a supervisor starts again and again.
    const codes = [];
    for (let start = 0; start < 4; start++) codes.push((await refusalOf(open({ modulePath }, { environment }))).code);
    const [refused, withheld] = ['PKCS11_PIN_REFUSED', 'PKCS11_PIN_WITHHELD'];
    expect([codes, wrongPins()]).toEqual([[refused, refused, withheld, withheld], 2]);
    hsm.writePin(hsm.pin);
    const token = connectToken({ ...hsm.address, modulePath }, { ...PATIENT, environment, reopenAfterMs: 0 });
    opened.push(token);
    for (const locked of [3, 2]) {
      setWrongPins(locked);
      expect((await refusalOf(token.listKeys())).code).toBe(withheld);
    }
    // The operator enters the right PIN in the tool of the token.
    setWrongPins(0);
    await expect(token.listKeys()).resolves.toBeDefined();
  });

  it('never shows the PIN in errors or inspection', async () => {
    hsm.writePin('4711-wrong');
    const { message: text, stack, code } = await refusalOf(open());
    hsm.writePin(hsm.pin);
    await noChildIsLeft();
    expect(code).toBe('PKCS11_PIN_REFUSED');
    const token = await open();
    const shown = inspect([token, await token.createKey('shown')], { depth: 9, showHidden: true });
    expect(`${text}${stack ?? ''}${shown}`).not.toMatch(new RegExp(`4711-wrong|${hsm.pin}`));
    // Other users can read a process's command line.
    expect(children().map(commandOf)).toEqual([expect.not.stringContaining(hsm.pin)]);
  });

  it.each<[string, () => void]>([
    [
      'users other than its owner',
      () => {
        chmodSync(hsm.address.pinFile, 0o644);
      },
    ],
    [
      'empty',
      () => {
        hsm.writePin('\n');
      },
    ],
  ])('rejects a PIN file by its rule: %s', async (rule, spoil) => {
    spoil();
    const refusal = await refusalOf(open());
    hsm.writePin(hsm.pin);
    expect(refusal.code).toBe('PKCS11_PIN_FILE_INVALID');
    expect(refusal.message).toContain(rule);
    expect(statSync(hsm.address.pinFile).mode & 0o777).toBe(0o600);
  });

  it('rejects a missing PIN file and a folder', async () => {
    const codes = [`${hsm.folder}/none`, hsm.folder].map(async (pinFile) => (await refusalOf(open({ pinFile }))).code);
    expect(await Promise.all(codes)).toEqual(['PKCS11_PIN_FILE_INVALID', 'PKCS11_PIN_FILE_INVALID']);
  });

  it('finds a token by its label only if unique', async () => {
    expect((await refusalOf(open({ token: { label: 'absent' } }))).code).toBe('PKCS11_UNAVAILABLE');
    expect((await refusalOf(open({ token: { slot: 4711 } }))).code).toBe('PKCS11_UNAVAILABLE');
    hsm.addToken('twin');
    expect(await (await open({ token: { label: 'twin' } })).listKeys()).toEqual([]);
    hsm.addToken('twin');
    expect((await refusalOf(open({ token: { label: 'twin' } }))).code).toBe('PKCS11_TOKEN_AMBIGUOUS');
  });

  it('happens at the first call', async () => {
    hsm.pullOut();
    const token = connectToken(hsm.address, { ...PATIENT, environment: hsm.environment, reopenAfterMs: 0 });
    opened.push(token);
    expect((await refusalOf(token.listKeys())).code).toBe('PKCS11_UNAVAILABLE');
    hsm.plugIn();
    await expect(token.listKeys()).resolves.toBeDefined();
  });

  it('names the library that cannot be loaded', async () => {
    const missing = await refusalOf(open({ modulePath: '/nowhere/module.so' }));
    expect(missing).toMatchObject({ code: 'PKCS11_MODULE_UNUSABLE', message: expect.stringContaining('not found') });
    const foreign = await refusalOf(open({ modulePath: hsm.address.pinFile }));
    expect(foreign).toMatchObject({
      code: 'PKCS11_MODULE_UNUSABLE',
      message: expect.stringContaining('not a PKCS#11'),
    });
  });

  it('ends the process of a library that hangs', async () => {
    const modulePath = join(hsm.folder, 'hangs.so');
    // Loading a named pipe blocks until a writer opens it.
    execFileSync('mkfifo', [modulePath]);
    const refusal = await refusalOf(open({ modulePath }, { timeoutMs: 1000 }));
    expect(refusal).toMatchObject({ code: 'PKCS11_UNAVAILABLE', message: expect.stringContaining('in time') });
  });
});
