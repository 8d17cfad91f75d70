import type { JsonObject } from '@cer/canonical-json';
import type { LeafKind } from '@cer/tlog/leaf';
import { newLeaf, signedPart } from '../log/new-leaf.js';
import type { AttestationColumns, CertificateRecord, NewLeaf } from '../store/index.js';
import { appIdOf, objectMember, parseStored, textMember } from './stored-cer.js';

/** One leaf for each receipt of a stored attestation. */
export function recordLeaves(
  kind: LeafKind,
  { appId, bundleType, resealedCertificateHash }: CertificateRecord,
  { attestedAt: at, metaJson, publicCerJson }: Pick<AttestationColumns, 'attestedAt' | 'metaJson' | 'publicCerJson'>,
): readonly NewLeaf[] {
  const signed = (json: JsonObject) => signedPart(objectMember(json, 'attestation'));
  const leaf = newLeaf('record', { kind, at, appId, bundleType }, signed(parseStored(metaJson)));
  if (publicCerJson === null || resealedCertificateHash === null) return [leaf];
  const reseal = parseStored(publicCerJson);
  const facts = { at, appId: appIdOf(reseal), bundleType: textMember(reseal, 'bundleType') };
  return [leaf, newLeaf('reseal', { kind: 'reseal', ...facts }, signed(objectMember(reseal, 'meta')))];
}
