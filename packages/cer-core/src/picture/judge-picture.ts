import { isJsonObject, member } from '@cer/canonical-json';
import { RENDER_SNAPSHOT_TYPE } from '../bundle-types/codemode-render.js';
import type { Finding } from '../finding.js';
import { isSha256Hash, sha256, type Sha256Hash } from '../hash.js';
import type { Evaluation } from '../verify/evaluation.js';
import { findingsOf } from '../verify/layer.js';

/** A picture beside the certificate that it carries. */
export interface PictureCheck {
  /** Of the PNG without the certificate's chunk. */
  readonly imageHash: Sha256Hash;
  /** The one that the certificate names; null when it names no picture. */
  readonly certifiedHash: Sha256Hash | null;
  readonly isCertified: boolean;
}

export interface JudgedPicture {
  readonly evaluation: Evaluation;
  readonly picture: PictureCheck;
}

/**
 * Compares a picture with the certificate that it carries. An evaluation fails when the picture is another one.
 * @param png the picture without the certificate's chunk
 * @see docs/spec.md, "Certificates in pictures"
 */
export function judgePicture(evaluation: Evaluation, png: Uint8Array): JudgedPicture {
  const imageHash = sha256(png);
  const certifiedHash = certifiedImageHash(evaluation);
  const picture = { imageHash, certifiedHash, isCertified: imageHash === certifiedHash };
  if (picture.isCertified) return { evaluation, picture };
  const finding: Finding = {
    code: 'OUTPUT_HASH_MISMATCH',
    member: 'snapshot.imageHash',
    detail: certifiedHash === null ? 'the certificate names no picture' : 'is the hash of another picture',
    computed: imageHash,
    ...(certifiedHash !== null && { expected: certifiedHash }),
  };
  // After the faults of the content, and before those of the signatures.
  const place = findingsOf(evaluation.integrity).length;
  const findings = [...evaluation.findings.slice(0, place), finding, ...evaluation.findings.slice(place)];
  const code = findings[0]?.code ?? finding.code;
  return { evaluation: { ...evaluation, status: 'FAILED', code, findings }, picture };
}

function certifiedImageHash({ bundle }: Evaluation): Sha256Hash | null {
  const snapshot = bundle === null ? undefined : member(bundle, 'snapshot');
  if (!isJsonObject(snapshot) || member(snapshot, 'type') !== RENDER_SNAPSHOT_TYPE) return null;
  const hash = member(snapshot, 'imageHash');
  return isSha256Hash(hash) ? hash : null;
}
