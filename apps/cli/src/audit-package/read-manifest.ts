import { JsonError, parseJson, type JsonValue } from '@cer/canonical-json';
import { CerError } from '@cer/cer-core';
import {
  canonicalManifest,
  MANIFEST_NAME,
  MANIFEST_SIGNATURE_NAME,
  manifestRefusal,
  readManifest,
  type AuditPackageManifest,
} from '@cer/cer-core/logs';
import type { NodeKeySet } from '@cer/keys';
import { wholeEntry } from './entry-content.js';
import type { PackageFindings } from './package-finding.js';
import type { SafeEntry, SoundZip } from './zip-structure.js';

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const SIGNATURE_BYTES = 64;

/** The keys that the caller trusts. */
export interface PackageTrust {
  readonly keySet: NodeKeySet | null;
  readonly nodeId: string | null;
}

/** The manifest, and whether the node that the caller trusts signed it. */
export interface CheckedManifest {
  readonly manifest: AuditPackageManifest | null;
  readonly isSigned: boolean;
}

/** Reads the manifest and checks its signature. Faults are added to the findings. */
export async function checkManifest(
  { zip, entries }: SoundZip,
  trust: PackageTrust,
  findings: PackageFindings,
): Promise<CheckedManifest> {
  const find = (name: string): SafeEntry | undefined => entries.find((entry) => entry.name === name);
  const file = find(MANIFEST_NAME);
  if (file === undefined) {
    findings.add('MANIFEST_MISSING', MANIFEST_NAME, 'there is no manifest, so the expected contents are unknown');
    return { manifest: null, isSigned: false };
  }
  const bytes = await wholeEntry(zip, file, MAX_MANIFEST_BYTES, findings);
  const manifest = parseManifest(bytes, findings);
  const signatureFile = find(MANIFEST_SIGNATURE_NAME);
  if (signatureFile === undefined) {
    findings.add('MANIFEST_MISSING', MANIFEST_SIGNATURE_NAME, 'there is no signature over the manifest');
    return { manifest, isSigned: false };
  }
  if (manifest === null) return { manifest, isSigned: false };
  const signature = await wholeEntry(zip, signatureFile, SIGNATURE_BYTES, findings);
  const refusal = await manifestRefusal(manifest, bytes, signature, trust);
  if (refusal !== null) findings.add(refusal.code, MANIFEST_SIGNATURE_NAME, refusal.detail);
  return { manifest, isSigned: refusal === null };
}

function parseManifest(bytes: Buffer, findings: PackageFindings): AuditPackageManifest | null {
  let value: JsonValue;
  try {
    value = parseJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    findings.add('MANIFEST_INVALID', MANIFEST_NAME, 'is not strict JSON');
    return null;
  }
  const { manifest, fault } = readManifest(value);
  if (manifest === null) {
    findings.add('MANIFEST_INVALID', MANIFEST_NAME, fault);
    return null;
  }
  if (!isCanonical(manifest, bytes)) {
    findings.add('MANIFEST_INVALID', MANIFEST_NAME, 'is not in canonical form');
    return null;
  }
  return manifest;
}

function isCanonical(manifest: AuditPackageManifest, bytes: Buffer): boolean {
  try {
    return Buffer.from(canonicalManifest(manifest)).equals(bytes);
  } catch (error) {
    // A lone surrogate has no canonical form.
    if (error instanceof CerError) return false;
    throw error;
  }
}

/** Compares the names in the package with those in the manifest. */
export function compareNames({ entries }: SoundZip, manifest: AuditPackageManifest, findings: PackageFindings): void {
  const closing: ReadonlySet<string> = new Set([MANIFEST_NAME, MANIFEST_SIGNATURE_NAME]);
  const listed = new Set(manifest.entries.map(({ name }) => name));
  const present = new Set(entries.map(({ name }) => name));
  if (listed.size !== manifest.entries.length) findings.add('MANIFEST_INVALID', MANIFEST_NAME, 'lists an entry twice');
  for (const name of present) {
    if (!listed.has(name) && !closing.has(name)) findings.add('ENTRY_UNLISTED', name, 'is not in the manifest');
  }
  for (const name of listed) {
    if (!present.has(name) || closing.has(name)) findings.add('ENTRY_MISSING', name, 'is in the manifest and not here');
  }
}
