// The library's report on one case file, in the members that the suite compares. Runs in Node.js and in browsers.
import { jcsV1, parseJson } from '@cer/canonical-json';
import { sha256 } from '@cer/cer-core';
import {
  evaluateCer,
  evaluateProject,
  toNodeVerifyResponse,
  toProjectVerifyResponse,
  toReport,
} from '@cer/cer-core/verify';
import { judgePicture, readPicture } from '@cer/cer-core/picture';
import { executionRequestFaults, sealExecution } from '@cer/cer-core/seal';
import { parseKeySet } from '@cer/keys';
import { createTimestampVerifier, parseTsaRoots } from '@cer/timestamps';
import { bytesOf } from './base64url.mjs';

export { logCase } from './observe-log.mjs';

const VERIFIED_AT = '2026-07-01T00:00:00.000Z';

/** @param {{kind: string, bundle: string, keySet: object | null, options?: object}} file */
export async function verifyCase({ kind, bundle: text, keySet, options }) {
  const bundle = parsed(text);
  if (bundle.refused !== undefined) return bundle;
  const how = { verifiedAt: VERIFIED_AT, keySet: keySet === null ? null : parseKeySet(keySet), ...options };
  return kind === 'project'
    ? ofProject(await evaluateProject(bundle.value, how))
    : ofCer(await evaluateCer(bundle.value, how));
}

/** @param {{picture: string, keySet: object}} file the picture in base64url */
export async function pictureCase({ picture: file, keySet }) {
  try {
    const { png, certificate } = readPicture(bytesOf(file));
    if (certificate === null) return { certificate };
    const how = { verifiedAt: VERIFIED_AT, keySet: parseKeySet(keySet) };
    const { evaluation, picture } = judgePicture(await evaluateCer(parseJson(certificate), how), png);
    return { ...ofCer(evaluation), picture };
  } catch (error) {
    if (error.name !== 'CerError') throw error;
    return { refused: error.code };
  }
}

/**
 * @param {{token: string, inclusion?: object, receipt: object, signature: string, certificateHash: string,
 *   roots: string | null}} file the token in base64, the roots in PEM
 */
export async function timestampCase({ token, inclusion, receipt, signature, certificateHash, roots }) {
  const signed = jcsV1.canonicalize({ receipt, signature });
  const candidates = [
    ['receipt', sha256(signed)],
    ['content', certificateHash],
    ['content', sha256(certificateHash)],
  ].map(([covers, hash]) => ({ covers, digest: hashBytes(hash) }));
  if (roots === null) return { status: 'not-checked' };
  return await createTimestampVerifier(parseTsaRoots(roots))({ token, inclusion, candidates });
}

function hashBytes(hash) {
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(hash.slice(7 + 2 * at, 9 + 2 * at), 16));
}

/** @param {{request: string, salts?: {input: string, output: string}}} file salts in base64url */
export function sealCase({ request: text, salts }) {
  const request = parsed(text);
  if (request.refused !== undefined) return request;
  if (executionRequestFaults(request.value).length > 0) return { refused: 'VALIDATION_ERROR' };
  try {
    const { bundle } = sealExecution(request.value, {
      createdAt: VERIFIED_AT,
      timestamp: null,
      executionId: 'none-was-given',
      saltsFor: () => ({ input: bytesOf(salts.input), output: bytesOf(salts.output) }),
    });
    return { bundle };
  } catch (error) {
    if (error.name !== 'CerError') throw error;
    return { refused: error.code };
  }
}

function parsed(text) {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (error.name !== 'JsonError') throw error;
    return { refused: error.code, member: error.path };
  }
}

function ofCer(evaluation) {
  const { checks, reasonCodes } = toReport(evaluation, 'conformance/1');
  return {
    status: evaluation.status,
    code: evaluation.code,
    checks,
    reasonCodes,
    classification: toNodeVerifyResponse(evaluation).classification,
    member: evaluation.findings[0]?.member ?? null,
    supplemental: evaluation.supplemental,
    contentMode: evaluation.contentMode,
    relaxations: evaluation.relaxations,
    provenance: evaluation.provenance?.state ?? null,
  };
}

function ofProject(evaluation) {
  const { passedSteps, attestedSteps, code, steps } = toProjectVerifyResponse(evaluation);
  return {
    status: evaluation.status,
    code,
    member: evaluation.findings.find((finding) => finding.code === code)?.member ?? null,
    structuralValid: evaluation.structuralValid,
    projectHashValid: evaluation.projectHash.valid,
    nodeReceipt: evaluation.nodeReceipt.status,
    steps: steps.map((step) => step.code),
    stepStatuses: steps.map((step) => step.status),
    passedSteps,
    attestedSteps,
  };
}
