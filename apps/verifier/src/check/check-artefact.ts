import { parseJson } from '@cer/canonical-json';
import { judgePicture } from '@cer/cer-core/picture';
import { evaluateCer, evaluateProject, unreadable } from '@cer/cer-core/verify';
import { parseKeySet, type NodeKeySet } from '@cer/keys';
import { checkCertificate } from './check-certificate.js';
import { checkProject } from './check-project.js';
import { logVerifier } from './log-policy.js';
import type { ArtefactCheck, KeySource } from './check-result.js';
import { readArtefact } from './read-artefact.js';
import { timestampVerifier, type LoadTimestampCode } from './timestamp-code.js';
import { withVisibleText } from './visible-text.js';

/** One artefact to check, and the caller's pins. */
export interface CheckRequest {
  readonly source: Uint8Array | string;
  /** The pinned key set as JSON text; null: signatures cannot be checked. */
  readonly keySet: string | null;
  readonly keySource: KeySource | null;
  /** PEM of the time-stamping authorities that the visitor chose; null: none. */
  readonly tsaRoots: string | null;
  /** The text of the policy (tlog-policy) under which log proofs are judged; null: none is judged. */
  readonly logPolicy: string | null;
  /** The requested hash, when an answer is checked: a valid certificate with another hash is refused. */
  readonly askedHash: string | null;
  /** ISO-8601, the caller's clock. */
  readonly verifiedAt: string;
}

/** Where it returns a promise, that is awaited. */
export type OnProgress = (done: number, total: number) => void | Promise<void>;

/**
 * Checks a certificate, package, project bundle or picture that carries a certificate: the single entry point for
 * server, worker and offline file.
 * @throws KeyError or JsonError for an invalid key set, TlogError for an invalid log policy
 */
export async function checkArtefact(
  request: CheckRequest,
  loadTimestampCode: LoadTimestampCode,
  onProgress: OnProgress = () => undefined,
): Promise<ArtefactCheck> {
  const { source, verifiedAt, keySource } = request;
  const artefact = readArtefact(source);
  const keySet = request.keySet === null ? null : withVoucher(readKeySet(request.keySet), keySource);
  const options = {
    keySet,
    verifiedAt,
    timestamps: timestampVerifier(loadTimestampCode, request.tsaRoots),
    transparency: logVerifier(request.logPolicy),
  };
  const pinned = keySet === null ? null : keySource;
  if (artefact.kind === 'project') {
    const { value, project } = artefact;
    const evaluation = await evaluateProject(value, { ...options, onProgress });
    const { askedHash } = request;
    return withVisibleText(checkProject({ value, project, evaluation, keySet, keySource: pinned, askedHash }));
  }
  const checked = { keySet, keySource: pinned, askedHash: request.askedHash };
  if (artefact.kind === 'unreadable') {
    const evaluation = unreadable(artefact.finding, options);
    return withVisibleText(checkCertificate({ ...checked, value: null, evaluation, picture: null }));
  }
  const { value, png } = artefact;
  const evaluation = await evaluateCer(value, options);
  const judged = png === null ? { evaluation, picture: null } : judgePicture(evaluation, png);
  return withVisibleText(checkCertificate({ ...checked, ...judged, value }));
}

/** @throws KeyError KEY_SET_INVALID, JsonError when the text is not strict JSON, for example with duplicate members */
export function readKeySet(text: string): NodeKeySet {
  return parseKeySet(parseJson(text));
}

/** A key set that a root vouches for says up to when. */
function withVoucher(keySet: NodeKeySet, source: KeySource | null): NodeKeySet {
  const revocationsKnownUntil = source?.voucher?.revocationsKnownUntil;
  return revocationsKnownUntil === undefined ? keySet : { ...keySet, revocationsKnownUntil };
}
