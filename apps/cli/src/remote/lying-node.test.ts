import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { certified, TEST_NODE_ID, TEST_SIGNER } from '@cer/cer-core/testing';
import { testKeySet, testSigner } from '@cer/keys/testing';
import { cer, type Said } from '../testing/console.js';
import { readSample, sample } from '../testing/files.js';
import { LocalServers } from '../testing/local-servers.js';

const VECTORS = join(__dirname, '../../../../packages/cer-core/vectors/reseal.json');
const servers = new LocalServers();
const genuine = readSample('certified.json');
const hash = hashOf(genuine);
const keys = sample('keys.json');
/** Time for responses of hundreds of MiB on a loaded machine. */
const PATIENT = ['--timeout', '600'];

afterEach(() => servers.close());

function hashOf({ certificateHash }: JsonObject): string {
  if (typeof certificateHash !== 'string') throw new TypeError('a certificate has a hash');
  return certificateHash;
}

/** A node with one response to every request. */
const answering = (body: JsonValue, status = 200): Promise<string> =>
  servers.serve((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  );

/** The certificate with one member changed; the path must be there. */
function changed(
  path: readonly string[],
  change: (value: JsonValue) => JsonValue,
  of: JsonObject = genuine,
): JsonObject {
  const [name, ...rest] = path;
  const value = name === undefined ? undefined : of[name];
  if (name === undefined || value === undefined) throw new TypeError(`no member ${path.join('.')}`);
  if (rest.length === 0) return { ...of, [name]: change(value) };
  if (!isJsonObject(value)) throw new TypeError(`${name} is not an object`);
  return { ...of, [name]: changed(rest, change, value) };
}

const byHash = (node: string, ...more: string[]): Promise<Said> =>
  cer(['verify', '--hash', hash, '--node', node, '--keys', keys, '--json', ...more]);

/** A reseal that verifies under the keys of its vectors. */
function resealVector(): JsonObject {
  const { tests } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { tests: { id: string; bundle: string }[] };
  const bundle = parseJson(tests.find(({ id }) => id === 'reseal-of-v1')?.bundle ?? 'null');
  if (!isJsonObject(bundle)) throw new TypeError('the vector is not an object');
  return bundle;
}

function originalOf(reseal: JsonObject): string {
  const meta = reseal['meta'] as { provenance: { originalCertificateHash: string } };
  return meta.provenance.originalCertificateHash;
}

/** Fails, in one JSON report on stderr and one on stdout, and says why. */
async function expectFailed(said: Promise<Said>, code: string): Promise<void> {
  const { exitCode, stdout, stderr } = await said;
  expect(exitCode).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ status: 'FAILED', reason: code });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'FAILED' });
}

describe('cer verify --hash, asking a node that lies', () => {
  it('accepts the unchanged record', async () => {
    expect(await byHash(await answering(genuine))).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('refuses another genuine certificate', async () => {
    const other = readSample('certified-messages.json');
    await expectFailed(byHash(await answering(other)), 'CERTIFICATE_HASH_MISMATCH');
  });

  it('refuses a genuine project in place of a certificate', async () => {
    const project = readSample('project.json');
    for (const answer of [project, { ...project, certificateHash: hash }, { bundle: project }]) {
      await expectFailed(byHash(await answering(answer)), 'CERTIFICATE_HASH_MISMATCH');
    }
  });

  it('refuses another certificate under the requested hash', async () => {
    const other = { ...readSample('certified-messages.json'), certificateHash: hash };
    await expectFailed(byHash(await answering(other)), 'CERTIFICATE_HASH_MISMATCH');
  });

  it.each<[string, readonly string[], JsonValue]>([
    ['the output', ['snapshot', 'outputHash'], `sha256:${'0'.repeat(64)}`],
    ['the time', ['createdAt'], '2020-01-02T03:04:05.000Z'],
    ['the hash', ['certificateHash'], `sha256:${'1'.repeat(64)}`],
  ])('refuses a certificate with %s changed', async (_what, path, value) => {
    await expectFailed(byHash(await answering(changed(path, () => value))), 'CERTIFICATE_HASH_MISMATCH');
  });

  it('refuses changed and foreign receipts', async () => {
    const flipped = changed(['meta', 'attestation', 'signature'], (text) =>
      typeof text === 'string' ? `A${text.slice(1)}` : null,
    );
    const foreign = { ...genuine, meta: readSample('certified-messages.json')['meta'] ?? null };
    for (const lie of [flipped, foreign]) {
      const { exitCode, stderr } = await byHash(await answering(lie));
      expect(exitCode).toBe(1);
      expect(JSON.parse(stderr)).toMatchObject({ status: 'FAILED' });
    }
  });

  it('refuses a record that fails under its key set', async () => {
    const signer = testSigner('liar', { kid: TEST_SIGNER.kid });
    const bundle = await certified();
    const node = await servers.serve((request, response) => {
      const isKeys = request.url?.startsWith('/.well-known/') === true;
      const set = testKeySet({ nodeId: TEST_NODE_ID, signers: [{ signer }] });
      response.end(JSON.stringify(isKeys ? set : bundle));
    });
    const said = await cer(['verify', '--hash', hashOf(bundle), '--node', node, '--json']);
    expect(said.exitCode).toBe(1);
    expect(JSON.parse(said.stderr)).toMatchObject({ status: 'FAILED' });
  });

  it('reports missing keys of a reseal as such', async () => {
    const bundle = resealVector();
    const asking = async (answer: JsonObject, keySet: string): Promise<Said> => {
      const node = await answering(answer);
      return cer(['verify', '--hash', originalOf(bundle), '--node', node, '--keys', keySet, '--json']);
    };
    const noKeys = await answering({}, 503);
    await expectFailed(asking(bundle, noKeys), 'VERIFICATION_MATERIAL_UNAVAILABLE');
    const other = changed(['meta', 'provenance', 'originalCertificateHash'], () => hash, bundle);
    await expectFailed(asking(other, noKeys), 'CERTIFICATE_HASH_MISMATCH');
    const unsigned = changed(['meta', 'attestation'], () => null, bundle);
    await expectFailed(asking(unsigned, noKeys), 'CERTIFICATE_HASH_MISMATCH');
  });

  it('does not treat an unsigned record as attested', async () => {
    const bare = Object.fromEntries(Object.entries(genuine).filter(([name]) => name !== 'meta'));
    const { exitCode } = await byHash(await answering(bare), '--require-attestation');
    expect(exitCode).toBe(1);
  });

  it('refuses a verdict in place of a certificate', async () => {
    for (const claim of [{ status: 'VERIFIED' }, { ok: true, certificateHash: hash, status: 'VERIFIED' }]) {
      expect((await byHash(await answering(claim))).exitCode).not.toBe(0);
    }
  });

  it('reports a missing record whatever else the node sends', async () => {
    const { exitCode, stdout } = await byHash(await answering(genuine, 404));
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'NOT_FOUND' });
  });
});

describe('every command that talks to a node', () => {
  const execution = sample('execution.json');
  const env = { CER_API_KEY: 'key' };
  const commands: readonly [string, (node: string) => Promise<Said>][] = [
    ['verify --hash', (node) => cer(['verify', '--hash', hash, '--node', node, '--keys', keys])],
    ['lookup', (node) => cer(['lookup', hash, '--node', node])],
    ['certify', (node) => cer(['certify', execution, '--node', node], { env })],
    ['attest', (node) => cer(['attest', sample('sealed.json'), '--node', node], { env })],
    ['register-project', (node) => cer(['register-project', sample('project.json'), '--node', node], { env })],
  ];

  const lies: readonly [string, RequestListener, string][] = [
    ['a page', (_, response) => response.end('<html>'), 'is not a JSON object'],
    ['an array', (_, response) => response.end('[]'), 'is not a JSON object'],
    ['one member twice', (_, response) => response.end('{"a":1,"a":2}'), 'is not a JSON object'],
    ['a number beyond all numbers', (_, response) => response.end('{"a":1e999}'), 'is not a JSON object'],
    ['bytes that are not text', (_, response) => response.end(Buffer.of(0x7b, 0xff, 0x7d)), 'is not a JSON object'],
    ['ten thousand levels', (_, response) => response.end(`{"a":${'['.repeat(10_000)}`), 'is not a JSON object'],
    ['nothing', (_, response) => response.end(), 'is not a JSON object'],
    ['a cut connection', (request) => void request.socket.destroy(), 'cannot be reached'],
    [
      'half an answer',
      (_, response) => {
        cutShort(response);
      },
      'cannot be reached',
    ],
  ];

  it.each(commands.flatMap(([name, run]) => lies.map((lie) => [name, ...lie, run] as const)))(
    '%s ends with one report when answered with %s',
    async (_command, _lie, listener, why, run) => {
      const { exitCode, stdout, stderr } = await run(await servers.serve(listener));
      expect(exitCode).toBe(1);
      expect(stdout).toBe('');
      expect(JSON.parse(stderr)).toMatchObject({ status: 'FAILED', checks: {}, reason: expect.any(String) });
      expect(stderr).toContain(why);
    },
  );

  it('cer certify asks for the address of a node where there is no such route', async () => {
    const node = await answering({ error: 'NOT_FOUND' }, 404);
    const args = ['certify', sample('execution.json'), '--node', node];
    const { exitCode, stderr } = await cer(args, { env: { CER_API_KEY: 'key' } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is this the address of a node?')]);
  });

  it.each(commands)('%s says what a failed connection means', async (_name, run) => {
    const node = await servers.serve((_, response) => response.end());
    expect((await run(node.replace('http:', 'https:'))).stderr).toContain('it speaks no TLS');
    await servers.close();
    expect((await run(node)).stderr).toContain(`${node} (ECONNREFUSED: nothing listens there)`);
  });

  it.each(commands)('%s follows no redirect and sends no key elsewhere', async (_name, run) => {
    const asked: (string | undefined)[] = [];
    const elsewhere = await servers.serve((request, response) => {
      asked.push(request.headers.authorization);
      response.end(JSON.stringify(genuine));
    });
    for (const status of [301, 302, 303, 307, 308]) {
      const node = await servers.serve((_, response) => response.writeHead(status, { location: elsewhere }).end());
      expect(await run(node)).toMatchObject({ exitCode: 1, stdout: '' });
    }
    expect(asked).toEqual([]);
  });

  it.each(commands)('%s reports a refusal by the node', async (_name, run) => {
    const { exitCode, stderr } = await run(
      await answering({ error: 'FORBIDDEN', message: 'no scope', status: 1 }, 403),
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      status: 'FAILED',
      checks: {},
      reason: 'FORBIDDEN',
      httpStatus: 403,
      message: 'no scope',
    });
  });

  it.each(commands)('%s escapes terminal sequences in errors of the node', async (_name, run) => {
    const node = await answering({ error: 'X', message: '\u001b[2J\u001b]0;owned\u0007\u202e' }, 400);
    const { exitCode, stdout, stderr } = await run(node);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('owned');
    expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('lookup aborts an endless response, compressed or not', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    let sent = 0;
    const endless = await servers.serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && sent < 2048) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    const said = await cer(['lookup', hash, '--node', endless, ...PATIENT]);
    expect(said).toMatchObject({ exitCode: 1, stdout: '' });
    expect(JSON.parse(said.stderr)).toMatchObject({
      reason: 'NODE_UNAVAILABLE',
      detail: 'the response is larger than 256 MiB',
    });
    expect(sent).toBeLessThan(1024);

    // Compressed once: compressing all of it would block the fake node, which shares this process with the command.
    const packed = Buffer.concat(Array<Buffer>(300).fill(gzipSync(chunk)));
    const bomb = await servers.serve((_, response) => response.setHeader('content-encoding', 'gzip').end(packed));
    expect((await cer(['lookup', hash, '--node', bomb, ...PATIENT])).stderr).toContain('larger than 256 MiB');
  });
});

function cutShort(response: Parameters<RequestListener>[1]): void {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"a":');
  setImmediate(() => {
    response.destroy();
  });
}
