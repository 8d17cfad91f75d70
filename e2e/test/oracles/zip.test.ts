import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entryContent } from '../../../apps/cli/src/audit-package/entry-content.js';
import { PackageFindings, PackageRefused } from '../../../apps/cli/src/audit-package/package-finding.js';
import { openSoundZip } from '../../../apps/cli/src/audit-package/zip-structure.js';
import { rawZip, type RawEntry } from '../../../apps/cli/src/testing/raw-zip.js';
import { zipStream, type PackageFile } from '../../../apps/node/src/export/zip-stream.js';
import { hasPython } from '../../../scripts/python.mjs';
import { mutated, mutations, oracleRuns, OutcomeCounts } from './oracle.js';

// What the reader of audit packages accepts, `unzip -t` and Python's zipfile must read with the same names and contents.

type Files = readonly (readonly [name: string, sha256: string])[];

const LIMITS = { entries: 100, totalBytes: 1024 * 1024 };
const MTIME = new Date('2026-01-02T03:04:05Z');

const { seed, numRuns } = oracleRuns(200);
const counts = new OutcomeCounts();
const hasUnzip = spawnSync('unzip', ['-v']).error === undefined;
const python = spawn('python3', [join(__dirname, 'zip.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zip-oracle-'));
  path = join(folder, 'one.zip');
  if (!hasUnzip) process.stderr.write('Not compared with unzip: it is not installed.\n');
  if (!hasPython()) process.stderr.write('Not compared with zipfile: there is no Python 3.9 or later.\n');
});
afterAll(() => {
  python.stdin.end();
  rmSync(folder, { recursive: true });
  counts.report('ZIP: unzip -t, Python zipfile', seed);
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const name = fc.constantFrom('a', 'b', 'A', 'records.ndjson', 'log/epoch.json', '../up', '/root', 'a\\b', 'a/');
const content = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.nat(2000).map((length) => 'line\n'.repeat(length)),
);
const field = fc
  .tuple(fc.constantFrom(0x0001, 0x5455, 0x7075, 0xcafe), fc.uint8Array({ maxLength: 30 }))
  .map(([id, bytes]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(id, 0);
    head.writeUInt16LE(bytes.length, 2);
    return Buffer.concat([head, bytes]);
  });
const odd = {
  flags: fc.constantFrom(0, 0x08, 0x800, 0x01, 0x20),
  method: fc.constantFrom(0, 8, 12),
  externalAttributes: fc.constantFrom(0o100644 << 16, 0o120777 << 16, 0),
  statedSize: fc.nat(50),
  local: fc.record({ name, crc: fc.nat(), size: fc.nat(50), flags: fc.constantFrom(0, 8) }, { requiredKeys: [] }),
  offset: fc.nat(100),
  gap: fc.string({ minLength: 1, maxLength: 8 }),
  extra: field,
  localExtra: field,
};
const plain = fc.record({ name, content, deflated: fc.boolean() });
/** An entry with at most two unusual members. */
const entry: fc.Arbitrary<RawEntry> = fc
  .tuple(plain, fc.record(odd), fc.subarray(Object.keys(odd), { maxLength: 2 }))
  .map(([base, all, chosen]) => ({
    ...base,
    ...Object.fromEntries(Object.entries(all).filter(([key]) => chosen.includes(key))),
  }));
const handmade = fc
  .tuple(fc.array(entry, { maxLength: 3 }), fc.record({ comment: fc.string({ maxLength: 4 }) }, { requiredKeys: [] }))
  .map(([entries, end]) => rawZip(entries, end));

/** Packages as the node writes them. */
const contents = fc.dictionary(fc.constantFrom('a', 'b', 'records.ndjson', 'log/epoch.json'), plain, { minKeys: 1 });

async function written(files: Readonly<Record<string, { content: string; deflated: boolean }>>): Promise<Buffer> {
  const packageFiles = async function* (): AsyncGenerator<PackageFile> {
    for (const [file, { content: text, deflated }] of Object.entries(files)) {
      const parts = async function* (): AsyncGenerator<string> {
        yield text;
      };
      yield { name: file, content: parts(), isStored: !deflated };
    }
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of zipStream(packageFiles(), MTIME)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The files, or the code of the refusal. */
async function ours(): Promise<Files | string> {
  const file = await open(path);
  try {
    const { zip, entries } = await openSoundZip(file, LIMITS);
    const files: [string, string][] = [];
    for (const each of entries) {
      const chunks: Buffer[] = [];
      for await (const chunk of entryContent(zip, each, null, new PackageFindings())) chunks.push(chunk);
      files.push([each.name, sha256(Buffer.concat(chunks))]);
    }
    return files;
  } catch (error) {
    if (error instanceof PackageRefused) return error.finding.code;
    throw error;
  } finally {
    await file.close();
  }
}

/** Keeps an error of a program that is not installed from ending the test, which says in one line what it lacks. */
python.on('error', () => undefined);

async function compare(bytes: Buffer, kind: string): Promise<void> {
  writeFileSync(path, bytes);
  const mine = await ours();
  if (typeof mine === 'string') {
    counts.add(`${kind}: refused here`);
    return;
  }
  if (hasUnzip && mine.length > 0) {
    const { status, stdout } = spawnSync('unzip', ['-t', path], { encoding: 'utf8' });
    expect({ status, stdout: status === 0 ? '' : stdout }).toEqual({ status: 0, stdout: '' });
  }
  if (hasPython()) {
    python.stdin.write(`${path}\n`);
    expect(JSON.parse(String((await answers.next()).value))).toEqual(mine);
  }
  counts.add(`${kind}: read alike`);
}

describe('a ZIP that the reader of packages accepts', () => {
  it('is read alike as the node writes it', async () => {
    const property = fc.asyncProperty(contents, async (files) => {
      writeFileSync(path, await written(files));
      expect(await ours()).toEqual(
        Object.entries(files).map(([file, each]) => [file, sha256(Buffer.from(each.content))]),
      );
      await compare(await written(files), 'of the node');
    });
    await fc.assert(property, { numRuns: numRuns / 10, seed });
  });

  it('is read alike with unusual headers', async () => {
    const property = fc.asyncProperty(handmade, (bytes) => compare(bytes, 'unusual'));
    await fc.assert(property, { numRuns, seed });
    expect(counts.of('unusual: read alike')).toBeGreaterThan(0);
  });

  it('is read alike after changes of its bytes', async () => {
    const property = fc.asyncProperty(contents, mutations, async (files, changes) =>
      compare(mutated(await written(files), changes), 'changed'),
    );
    await fc.assert(property, { numRuns: 2 * numRuns, seed });
    expect(counts.of('changed: refused here')).toBeGreaterThan(0);
  });
});
