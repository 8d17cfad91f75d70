import { createHash } from 'node:crypto';
import type { Sha256Hash } from '@cer/cer-core';
import {
  AUDIT_PACKAGE_TYPE,
  formatCursor,
  MANIFEST_NAME,
  MANIFEST_SIGNATURE_NAME,
  signManifest,
  type AuditPackageEntry,
  type AuditPackageManifest,
  type AuditPackageQuery,
} from '@cer/cer-core/logs';
import { SignerAwayError } from '../signing/key-holder.js';
import type { KeyHistoryLog } from '../signing-keys/key-history-log.js';
import type { Signing } from '../signing/signing.js';
import type { PublishedNote, WholeRecord } from '../store/index.js';
import type { CoverageDeps } from '../coverage/read-coverage.js';
import { coverageFile } from './coverage-file.js';
import { isTooFlat } from './flatness.js';
import { logFiles, type LogFileDeps } from './log-files.js';
import { PackageParts } from './package-parts.js';
import { readme } from './readme.js';
import type { PackageFile } from './zip-stream.js';

/** The query of a package. */
export interface PackageOrder {
  readonly tenantId: string;
  readonly query: AuditPackageQuery;
  readonly asOf: Date;
}

export interface PackageDeps extends LogFileDeps, CoverageDeps {
  readonly store: LogFileDeps['store'] & CoverageDeps['store'];
  readonly signing: Signing;
  readonly keyHistory: Pick<KeyHistoryLog, 'document'>;
}

/**
 * The files of an audit package, in its order: parts of certificates, receipts and timestamps, then the summary, the
 * keys, and the signed manifest, which lists all the others.
 * @param records oldest first
 * @param shown the result of `publishedEpochs` before the snapshot of the records
 * @see docs/spec.md, "Audit package"
 */
export async function* packageFiles(
  deps: PackageDeps,
  order: PackageOrder,
  records: AsyncIterator<WholeRecord>,
  shown: PublishedNote | null,
): AsyncGenerator<PackageFile> {
  const { signing, keyHistory, now } = deps;
  const entries: AuditPackageEntry[] = [];
  const listed = (name: string, content: AsyncIterable<string> | Iterable<string>, isStored = false): PackageFile => ({
    name,
    content: measured(name, content, entries),
    isStored,
  });
  const parts = new PackageParts(records);
  while (await parts.hasNext()) {
    const part = `${String(parts.next()).padStart(6, '0')}.ndjson`;
    yield listed(`certificates/${part}`, parts.certificates(), parts.isStored);
    yield listed(`receipts/${part}`, pieces(parts.receipts));
    if (parts.timestamps.length > 0) yield listed(`timestamps/${part}`, pieces(parts.timestamps));
  }
  const proof = logFiles(deps, order.tenantId, order.query, shown);
  for await (const [name, content] of proof) yield listed(name, pieces(content));
  const coverage = await coverageFile(deps, order.tenantId, order.query);
  if (coverage !== null) yield listed('coverage.json', [coverage], await isTooFlat(coverage));
  const signedAt = now();
  const { signer, nodeId } = await signing.attestorAt(signedAt);
  yield listed('keys.json', [`${JSON.stringify(signing.published().document, null, 2)}\n`]);
  const history = await historyOf(keyHistory);
  if (history !== null) yield listed('key-history.json', [`${JSON.stringify(history, null, 2)}\n`]);
  const { count, first, last } = parts;
  const facts = { ...order, asOf: order.asOf.toISOString(), signedAt: signedAt.toISOString(), nodeId, count };
  yield listed('README.txt', [readme({ ...facts, kid: signer.kid })]);
  const manifest: AuditPackageManifest = {
    type: AUDIT_PACKAGE_TYPE,
    ...facts,
    kid: signer.kid,
    firstCursor: first === null ? null : formatCursor(first),
    lastCursor: last === null ? null : formatCursor(last),
    entries,
  };
  const { text, signature } = await signManifest(manifest, signer);
  yield { name: MANIFEST_NAME, content: once(text) };
  yield { name: MANIFEST_SIGNATURE_NAME, content: once(signature) };
}

/** Null if the keys have no history. */
async function historyOf(keyHistory: PackageDeps['keyHistory']): Promise<object | null> {
  try {
    return await keyHistory.document();
  } catch (error) {
    if (error instanceof SignerAwayError) return null;
    throw error;
  }
}

function* pieces(lines: readonly string[]): Generator<string> {
  for (let start = 0; start < lines.length; start += 100) yield lines.slice(start, start + 100).join('');
}

async function* once<T>(content: T): AsyncGenerator<T> {
  yield content;
}

/** Forwards a file and records its size and hash at the end. */
async function* measured(
  name: string,
  content: AsyncIterable<string> | Iterable<string>,
  entries: AuditPackageEntry[],
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const text of content) {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    size += bytes.length;
    yield bytes;
  }
  const sha256: Sha256Hash = `sha256:${hash.digest('hex')}`;
  entries.push({ name, size, sha256 });
}
