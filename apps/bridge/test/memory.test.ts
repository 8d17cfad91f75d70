import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startService, type ServiceProcess } from './service-process.js';
import { SERVICE_TOKEN, startStubControlPlane, type StubControlPlane } from './stub-control-plane.js';

/** Bodies of a gigabyte are made and sent, possibly on a busy machine. */
jest.setTimeout(180_000);

const MIB = 1024 * 1024;
/** Maximum memory of the process under its default limits, for any input. */
const BOUND_BYTES = 900 * MIB;
const PROTOBUF = 'application/x-protobuf';
const NDJSON = 'application/x-ndjson';
const EXECUTIONS = '/api/v1/ingest/executions';

let controlPlane: StubControlPlane;
let bridge: ServiceProcess;
let folder: string;
let key: string;

beforeAll(async () => {
  controlPlane = await startStubControlPlane();
  key = controlPlane.newKey(controlPlane.newTenant());
  folder = mkdtempSync(join(tmpdir(), 'cer-bridge-memory-'));
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, SERVICE_TOKEN, { mode: 0o600 });
  bridge = await startService('bridge', {
    PUBLIC_URL: 'http://127.0.0.1:4300',
    NODE_URL: 'http://127.0.0.1:9',
    CONTROL_PLANE_URL: controlPlane.url,
    CONTROL_PLANE_TOKEN_FILE: tokenFile,
    DATABASE_URL: `sqlite:${join(folder, 'bridge.sqlite')}`,
  });
});
afterAll(async () => {
  await bridge.stop();
  await controlPlane.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The peak memory of the process; its current memory where the system reports no peak. */
async function memoryBytes(): Promise<number> {
  const status = `/proc/${bridge.pid}/status`;
  if (existsSync(status)) {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1] ?? Number.NaN) * 1024;
  }
  const metrics = await (await fetch(`${bridge.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN);
}

interface Hostile {
  readonly body: Buffer;
  readonly type?: string;
  readonly isGzip?: boolean;
  readonly path?: string;
}

/**
 * Has the bridge look up the key while this process, which is its control plane, is idle: a look-up that meets the
 * making of large bodies may time out.
 */
async function introduceKey(bearer = key): Promise<void> {
  // Before that, this process must notice idle connections that the bridge closed while a body was made.
  await nextTurn();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
  const { status } = await fetch(`${bridge.url}${EXECUTIONS}`, { method: 'POST', headers, body: '{"executions":[]}' });
  expect(status).toBe(400);
}

async function send({ body, type = PROTOBUF, isGzip = false, path = '/v1/traces' }: Hostile): Promise<number> {
  await introduceKey();
  const response = await fetch(`${bridge.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${key}`, ...(isGzip && { 'content-encoding': 'gzip' }) },
    body: new Uint8Array(body),
  });
  const text = await response.text();
  // Bodies of the test before are released when the bridge sees that their connections closed.
  if (response.status === 503) return send({ body, type, isGzip, path });
  if (type !== NDJSON) return response.status;
  return (JSON.parse(text.split('\n')[0] ?? '') as { readonly status: number }).status;
}

/** A request whose body has no end yet. */
interface Begun {
  readonly status: Promise<number>;
  /** Whether the bridge has read everything but the end, or has answered. */
  readonly hasArrived: () => boolean;
  readonly stop: () => void;
}

/** Sends a body without its end. */
function begin(path: string, type: string, bytes: number): Begun {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': bytes };
  const sending = request(`${bridge.url}${path}`, { method: 'POST', headers });
  let [isWritten, isOver] = [false, false];
  const status = new Promise<number>((resolve) => {
    sending.once('response', (response) => {
      response.resume().once('close', () => {
        isOver = true;
      });
      resolve(response.statusCode ?? 0);
    });
    sending.once('error', () => {
      isOver = true;
      resolve(0);
    });
  });
  sending.write(Buffer.alloc(bytes - 1, 0x20), () => {
    isWritten = true;
  });
  return {
    status,
    hasArrived: () => isOver || (isWritten && unreadBytes(sending.socket?.localPort ?? 0) === 0),
    stop: () => {
      sending.destroy();
    },
  };
}

/** Bytes of a local connection that its receiver has not read; 0 where the system does not report them. */
function unreadBytes(port: number): number {
  if (!existsSync('/proc/net/tcp')) return 0;
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => local?.endsWith(end) === true || remote?.endsWith(end) === true)
    .flatMap(([, , , , queues = '']) => queues.split(':'))
    .reduce((sum, bytes) => sum + Number.parseInt(bytes, 16), 0);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))];
}

function field(number: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(body.length)]), body]);
}

/** A field repeated up to this number of bytes. */
const filled = (one: Buffer, bytes: number): Buffer => Buffer.alloc(bytes - (bytes % one.length), one);
const inSpan = (fields: Buffer): Buffer => field(1, field(2, field(2, fields)));
const spansOf = (count: number, one: Buffer): Buffer => field(1, field(2, filled(one, count * one.length)));
const ofJson = (start: string, one: string, bytes: number): Hostile => ({
  body: gzipSync(Buffer.concat([Buffer.from(start), filled(Buffer.from(`${one},`), bytes)]), { level: 1 }),
  type: 'application/json',
  isGzip: true,
});
const zipped = (body: Buffer): Hostile => ({ body: gzipSync(body, { level: 1 }), isGzip: true });

const textField = (number: number, text: string): Buffer => field(number, Buffer.from(text));
/** An attribute of a span or of a resource has the number 9, one of an event 3. */
const attribute = (number: number, key: string, value: string): Buffer =>
  field(number, Buffer.concat([textField(1, key), field(2, textField(1, value))]));
/** A call of a model that names none: it is read, and refused. */
const callWith = (...fields: readonly Buffer[]): Buffer =>
  field(2, Buffer.concat([attribute(9, 'gen_ai.operation.name', 'chat'), ...fields]));
const exportOf = (...calls: readonly Buffer[]): Buffer => field(1, field(2, Buffer.concat(calls)));

const EMPTY = Buffer.alloc(0);
const UNPACKED = 63 * MIB;

/** Made when it is first sent, and kept: packing takes longer than sending. */
function once(make: () => Hostile): () => Hostile {
  let made: Hostile | undefined;
  return () => (made ??= make());
}

const HOSTILE = (
  [
    ['1 M empty spans', () => ({ body: spansOf(1_000_000, field(2, EMPTY)) })],
    ['1 M named spans, highly compressed', () => zipped(spansOf(1_000_000, field(2, field(5, Buffer.from('n')))))],
    ['1 M spans as JSON', () => ofJson('{"resourceSpans":[{"scopeSpans":[{"spans":[', '{"name":"n"}', 13 * 1_000_000)],
    ['a gigabyte of spaces', () => zipped(Buffer.alloc(1024 * MIB, 0x20))],
    ['30 M events', () => zipped(inSpan(filled(field(11, EMPTY), UNPACKED)))],
    ['30 M resources', () => zipped(filled(field(1, EMPTY), UNPACKED))],
    ['30 M scopes', () => zipped(field(1, filled(field(2, EMPTY), UNPACKED)))],
    ['30 M values in a list', () => zipped(inSpan(field(9, field(2, field(5, filled(field(1, EMPTY), UNPACKED))))))],
    ['30 M empty objects', () => ofJson('{"x":[', '{}', UNPACKED)],
    ['30 M numbers', () => ofJson('{"x":[', '0', UNPACKED)],
    ['lists in lists', () => ofJson('', '[', UNPACKED)],
  ] satisfies readonly (readonly [string, () => Hostile])[]
).map(([name, make]) => [name, once(make)] as const);

const HOSTILE_EXECUTIONS: readonly (readonly [string, () => Hostile])[] = [
  ['40 M empty objects', () => ({ ...plain('{"executions":[', '{},', 120 * MIB), type: 'application/json' })],
  ['40 M lists in one', () => ({ ...plain('{"input":[', '[],', 120 * MIB), type: 'application/json' })],
  ['a line of 3 M lists', () => ({ ...plain('{"input":[', '[],', 9 * MIB), type: NDJSON })],
];

function plain(start: string, one: string, bytes: number): Hostile {
  return { body: Buffer.concat([Buffer.from(start), filled(Buffer.from(one), bytes)]), path: EXECUTIONS };
}

/** 300,000 texts of one length, in as many events as they need. */
function textsOfOneLength(): Buffer {
  const events = Array.from({ length: 75 }, (_, event) => {
    const texts = Array.from({ length: 4000 }, (__, at) =>
      attribute(3, `a${at}`, `${'x'.repeat(90)}${event * 4000 + at + 1e9}`),
    );
    return field(11, Buffer.concat([textField(2, 'gen_ai.choice'), ...texts]));
  });
  return exportOf(callWith(...events));
}

/** JSON whose text is below the limit alone. */
const denseText = (one: string, bytes = 1_490_000): string => `[${one.repeat(bytes / one.length)}0]`;
const callsWithText = (one: string): Hostile =>
  zipped(
    exportOf(...Array.from({ length: 42 }, () => callWith(attribute(9, 'gen_ai.input.messages', denseText(one))))),
  );

/** Calls with JSON in texts: together far more values than a line may have. */
const HOSTILE_TEXTS: readonly (readonly [string, () => Hostile])[] = [
  ['lists in texts of spans', () => callsWithText('[],')],
  ['objects in texts of spans', () => callsWithText('{},')],
  ['numbers in texts of spans', () => callsWithText('0,')],
  [
    'lists in texts of one span',
    () => {
      const message = Buffer.concat([textField(2, 'gen_ai.choice'), attribute(3, 'message', denseText('[],'))]);
      const events = Array.from({ length: 42 }, () => field(11, message));
      return zipped(exportOf(callWith(attribute(9, 'gen_ai.system', 's'), ...events)));
    },
  ],
  ['objects in one text', () => zipped(exportOf(callWith(attribute(9, 'any', denseText('{},', 63 * MIB)))))],
];

describe('the time of a bridge', () => {
  it('grows with the texts of a span, not with their pairs', async () => {
    expect(await send(zipped(textsOfOneLength()))).toBe(200);
  });
});

describe('the memory of a bridge', () => {
  it.each(HOSTILE_EXECUTIONS)('stays bounded under executions: %s', async (_, make) => {
    expect(await send(make())).toBe(413);
    expect(await memoryBytes()).toBeLessThan(BOUND_BYTES);
  });

  it.each([
    ['/v1/traces', PROTOBUF, 16 * MIB],
    [EXECUTIONS, 'application/json', 64 * MIB],
    [EXECUTIONS, NDJSON, 9 * MIB],
  ])('stays bounded under unfinished bodies to %s of type %s', async (path, type, bytes) => {
    await introduceKey();
    const begun = Array.from({ length: Math.ceil(BOUND_BYTES / bytes) + 1 }, () => begin(path, type, bytes));
    // The answer to a stream starts before its size is refused.
    const refused = type === NDJSON ? 200 : 503;
    expect(await Promise.race(begun.map(({ status }) => status))).toBe(refused);
    while (!begun.every(({ hasArrived }) => hasArrived())) await sleep(20);
    expect(await memoryBytes()).toBeLessThan(BOUND_BYTES);
    for (const { stop } of begun) stop();
    expect((await fetch(`${bridge.url}/health`)).status).toBe(200);
  });

  it.each(HOSTILE)('stays bounded under %s', async (_, make) => {
    const status = await send(make());
    expect([400, 413]).toContain(status);
    expect(await memoryBytes()).toBeLessThan(BOUND_BYTES);
  });

  it.each(HOSTILE_TEXTS)('stays bounded under %s', async (_, make) => {
    expect(await send(make())).toBe(200);
    expect(await memoryBytes()).toBeLessThan(BOUND_BYTES);
  });

  it('stays bounded under the largest batches of four accounts at once', async () => {
    const item = `{"input":"${'x'.repeat(9 * MIB)}"}`;
    const body = new Uint8Array(Buffer.from(`{"executions":[${Array.from({ length: 13 }, () => item).join(',')}]}`));
    const keys = Array.from({ length: 4 }, () => controlPlane.newKey(controlPlane.newTenant()));
    for (const bearer of keys) await introduceKey(bearer);
    const sending = keys.map(async (bearer) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
      const response = await fetch(`${bridge.url}${EXECUTIONS}`, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    });
    // Without its node the bridge refuses each item; a batch beyond the room gets 503.
    const statuses = await Promise.all(sending);
    expect(statuses).toContain(207);
    for (const status of statuses) expect([207, 503]).toContain(status);
    expect(await memoryBytes()).toBeLessThan(BOUND_BYTES);
  });

  it('stays bounded when all are sent at once', async () => {
    const bodies = HOSTILE.map(([, make]) => make());
    const statuses = await Promise.all(bodies.map(send));
    // Exports beyond the maximum in progress get 503.
    for (const status of statuses) expect([400, 413, 503]).toContain(status);
    expect(await memoryBytes()).toBeLessThan(BOUND_BYTES);
    expect((await fetch(`${bridge.url}/health`)).status).toBe(200);
  });
});
