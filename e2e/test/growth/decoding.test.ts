import { expectLinearGrowth, list, type Case } from './cases.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import type { JsonObject } from '@cer/canonical-json';
import { byteLines } from '@cer/ndjson';
import { decodeJson } from '../../../apps/bridge/src/ingest/otlp/wire/decode-json.js';
import { decodeProtobuf } from '../../../apps/bridge/src/ingest/otlp/wire/decode-protobuf.js';
import { openSoundZip } from '../../../apps/cli/src/audit-package/zip-structure.js';
import { rawZip } from '../../../apps/cli/src/testing/raw-zip.js';

const folder = mkdtempSync(join(tmpdir(), 'growth-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const span = (at: number): JsonObject => ({
  traceId: '00112233445566778899aabbccddeeff',
  spanId: '0011223344556677',
  name: `s${at}`,
  attributes: [],
});
const attribute = (at: number): JsonObject => ({
  key: `k${at}`,
  value: { arrayValue: { values: [{ intValue: at }] } },
});
const exported = (spans: readonly JsonObject[]): Buffer =>
  Buffer.from(JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] }));

/** A field of protobuf with bytes. */
function field(number: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head: number[] = [(number << 3) | 2];
  let length = content.length;
  for (; length > 127; length >>>= 7) head.push((length & 127) | 128);
  return Buffer.concat([Buffer.from([...head, length]), content]);
}
const id = (length: number): Buffer => Buffer.alloc(length, 7);
const keyValue = (at: number): Buffer =>
  field(9, field(1, Buffer.from(`k${at}`)), field(2, field(1, Buffer.from('v'))));
const packed = (spans: readonly Buffer[]): Buffer => field(1, field(2, ...spans));

const decoding: readonly Case[] = [
  ...(
    [
      [
        'spans',
        (size) => [exported(list(size, span)), packed(list(size, () => field(2, field(1, id(16)), field(2, id(8)))))],
      ],
      [
        'attributes',
        (size) => [
          exported([{ ...span(0), attributes: list(size, attribute) }]),
          packed([field(2, field(1, id(16)), field(2, id(8)), ...list(size, keyValue))]),
        ],
      ],
    ] satisfies readonly (readonly [string, (size: number) => readonly [Buffer, Buffer]])[]
  ).flatMap(([name, make]): Case[] => [
    [
      `OTLP in JSON: ${name}`,
      200,
      (size) => {
        const [json] = make(size);
        return () => decodeJson(json, 100_000);
      },
    ],
    [
      `OTLP in protobuf: ${name}`,
      200,
      (size) => {
        const [, protobuf] = make(size);
        return () => decodeProtobuf(protobuf, 100_000);
      },
    ],
  ]),
  [
    'the entries of a package',
    50,
    (size) => {
      const path = join(folder, `${size}.zip`);
      writeFileSync(path, rawZip(list(size, (at) => ({ name: `n${at}`, content: 'x' }))));
      return async () => {
        const file = await open(path);
        await openSoundZip(file, { entries: 10_000, totalBytes: 100_000 });
        await file.close();
      };
    },
  ],
  ...(
    [
      ['lines in one chunk', (size) => [Buffer.from('{}\n'.repeat(size))]],
      ['a line in many chunks', (size) => list(size, () => Buffer.from('x'))],
    ] satisfies readonly (readonly [string, (size: number) => readonly Buffer[]])[]
  ).map(([name, make]): Case => [
    `a stream of lines: ${name}`,
    300,
    (size) => {
      const chunks = make(size);
      async function* stream(): AsyncGenerator<Buffer> {
        yield* chunks;
      }
      return async () => {
        for await (const lines of byteLines(stream(), 1_000_000)) expect(lines.length).toBeGreaterThan(0);
      };
    },
  ]),
];

expectLinearGrowth(decoding);
