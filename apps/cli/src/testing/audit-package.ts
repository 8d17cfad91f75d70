import { createHash } from 'node:crypto';
import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { AUDIT_PACKAGE_TYPE, formatCursor, signManifest, type AuditPackageManifest } from '@cer/cer-core/logs';
import { certified, TEST_NODE_ID, TEST_SIGNER, TEST_TENANT, TEST_TIME } from '@cer/cer-core/testing';
import type { RawEntry } from './raw-zip.js';

/** A record of a package: its certificate, receipt and signature. */
export interface PackageRecord {
  readonly certificate: JsonObject;
  readonly receipt: JsonObject;
}

export async function packageRecord(executionId: string, members: JsonObject = {}): Promise<PackageRecord> {
  const certificate = await certified({ executionId, ...members });
  const meta = member(certificate, 'meta');
  const attestation = isJsonObject(meta) ? member(meta, 'attestation') : undefined;
  const hash = member(certificate, 'certificateHash');
  if (!isJsonObject(attestation) || typeof hash !== 'string') throw new TypeError('the certificate is not attested');
  return {
    certificate,
    receipt: {
      certificateHash: hash,
      resealedCertificateHash: null,
      kind: 'full',
      bundleType: member(certificate, 'bundleType') ?? null,
      executionId,
      appId: members['appId'] ?? null,
      status: 'visible',
      firstAttestedAt: TEST_TIME,
      attestedAt: TEST_TIME,
      attestationId: member(attestation, 'attestationId') ?? null,
      cursor: formatCursor({ certificateHash: hash, kind: 'full' }),
      receipt: member(attestation, 'receipt') ?? null,
      signature: member(attestation, 'signature') ?? null,
      kid: TEST_SIGNER.kid,
    },
  };
}

/** How a package differs from a good one. */
export interface PackageChanges {
  readonly manifest?: Partial<AuditPackageManifest>;
  /** Records in one part; all when left out. */
  readonly perPart?: number;
  /** Further entries, before the keys. */
  readonly more?: readonly RawEntry[];
}

/** The entries of a package as a node makes them, signed by the test node. */
export async function packageEntries(
  records: readonly PackageRecord[],
  { manifest: changes = {}, perPart = records.length, more = [] }: PackageChanges = {},
): Promise<RawEntry[]> {
  const entries: RawEntry[] = [];
  for (let start = 0; start < records.length; start += perPart) {
    const part = records.slice(start, start + perPart);
    const name = `${String(start / perPart + 1).padStart(6, '0')}.ndjson`;
    entries.push({
      name: `certificates/${name}`,
      content: lines(part.map(({ certificate }) => certificate)),
      deflated: true,
    });
    entries.push({ name: `receipts/${name}`, content: lines(part.map(({ receipt }) => receipt)), deflated: true });
  }
  entries.push(...more);
  entries.push({ name: 'keys.json', content: '{}' }, { name: 'README.txt', content: 'An audit package.' });
  const cursorOf = (record: PackageRecord | undefined): string | null => {
    const cursor = record === undefined ? null : member(record.receipt, 'cursor');
    return typeof cursor === 'string' ? cursor : null;
  };
  const manifest: AuditPackageManifest = {
    type: AUDIT_PACKAGE_TYPE,
    nodeId: TEST_NODE_ID,
    kid: TEST_SIGNER.kid,
    tenantId: TEST_TENANT,
    query: { attestedFrom: null, attestedTo: null, appId: null, bundleType: null, status: null },
    asOf: TEST_TIME,
    signedAt: TEST_TIME,
    count: records.length,
    firstCursor: cursorOf(records[0]),
    lastCursor: cursorOf(records.at(-1)),
    entries: entries.map(({ name, content }) => ({
      name,
      size: Buffer.byteLength(content),
      sha256: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    })),
    ...changes,
  };
  const { text, signature } = await signManifest(manifest, TEST_SIGNER);
  return [...entries, { name: 'manifest.json', content: text }, { name: 'manifest.sig', content: signature }];
}

function lines(values: readonly JsonObject[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
