import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { PROJECT, type Finding } from '@cer/cer-core';
import {
  evaluateCer,
  evaluateProject,
  projectIn,
  readReceipt,
  unreadable,
  type Evaluation,
  type ProjectEvaluation,
  type VerifyProjectOptions,
} from '@cer/cer-core/verify';
import { keyFingerprint, type NodeKeySet } from '@cer/keys';
import { judgePicture, type PictureCheck } from '@cer/cer-core/picture';
import { EXIT, type ExitCode } from './exit-code.js';
import type { Artefact } from './files/read-artefact.js';
import type { StrictJson } from './files/read-json.js';

/** The verified input, and the evaluation that every report is a view of. */
export type Verification =
  | {
      readonly kind: 'certificate';
      readonly evaluation: Evaluation;
      /** Set where the certificate came in a picture. */
      readonly picture?: PictureCheck;
    }
  | {
      readonly kind: 'project';
      readonly evaluation: ProjectEvaluation;
      readonly title: string | null;
      readonly signer: ProjectSigner | null;
    };

/** The signer of a project as a whole, taken from the signed receipt. */
export interface ProjectSigner {
  readonly nodeId: string;
  readonly kid: string;
  readonly keyFingerprint: string | null;
}

/** Verifies a certificate, a package, a project bundle or a picture that carries a certificate. */
export async function verifyAny(
  { png, ...json }: StrictJson & Pick<Artefact, 'png'>,
  options: VerifyProjectOptions,
): Promise<Verification> {
  if (json.fault !== null) return corrupted(json.fault, options.verifiedAt);
  if (png !== null) {
    return { kind: 'certificate', ...judgePicture(await evaluateCer(json.value, options), png) };
  }
  if (isProject(json.value)) return verifyProject(json.value, options);
  return { kind: 'certificate', evaluation: await evaluateCer(json.value, options) };
}

/** Verifies a project bundle; anything else fails as one. */
export async function verifyProject(value: JsonValue, options: VerifyProjectOptions): Promise<Verification> {
  const evaluation = await evaluateProject(value, options);
  const project = projectIn(value);
  const title = project === null ? undefined : member(project, 'projectTitle');
  return {
    kind: 'project',
    evaluation,
    title: typeof title === 'string' ? title : null,
    signer: evaluation.nodeReceipt.status === 'PASS' ? signerOf(value, options.keySet ?? null) : null,
  };
}

/** The receipt is at `meta.attestation.receipt`, or at `receipt` in the project or around it; if several exist, they agree. */
function signerOf(value: JsonValue, keySet: NodeKeySet | null): ProjectSigner | null {
  const project = projectIn(value);
  const meta = memberObject(project, 'meta');
  const holders = [memberObject(meta, 'attestation'), project, isJsonObject(value) ? value : null];
  const payload = holders.map((holder) => memberObject(holder, 'receipt')).find((found) => found !== null) ?? null;
  const receipt = payload === null ? null : readReceipt(payload).receipt;
  if (receipt === null) return null;
  const key = keySet?.entries.get(receipt.kid)?.key;
  return {
    nodeId: receipt.nodeId,
    kid: receipt.kid,
    keyFingerprint: key?.usable === true ? keyFingerprint(key.publicKey) : null,
  };
}

function memberObject(object: JsonObject | null, name: string): JsonObject | null {
  const value = object === null ? undefined : member(object, name);
  return isJsonObject(value) ? value : null;
}

/** The verification of text that breaks a rule of strict JSON. */
export function corrupted(fault: Finding, verifiedAt: string): Verification {
  return { kind: 'certificate', evaluation: unreadable(fault, { verifiedAt }) };
}

export function exitCodeOf({ evaluation }: Verification): ExitCode {
  return evaluation.status === 'FAILED' ? EXIT.failed : EXIT.verified;
}

/** Whether the input is a project bundle, by itself or inside `{bundle}`. */
function isProject(value: JsonValue): boolean {
  const project = projectIn(value);
  return project !== null && member(project, 'bundleType') === PROJECT;
}
