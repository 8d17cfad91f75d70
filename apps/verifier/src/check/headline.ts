import { certificateHeadline, type CertificateHeadline } from '@cer/pages/verdict';
import type { ArtefactCheck } from './check-result.js';

/** Colour of a verdict. `good` is green: only when a node signed and every check passed. */
export type Tone = 'good' | 'neutral' | 'bad' | 'unknown';

/** The headlines of a page; their texts are in the catalogue. */
export type Headline =
  | CertificateHeadline
  | 'projectAttested'
  | 'projectIncomplete'
  | 'projectIntegrityOnly'
  | 'notFound'
  | 'unavailable'
  | 'disagreement'
  | 'unchecked';

/** One side's result, small enough to be compared and to travel with the page. */
export interface Outcome {
  readonly headline: Headline;
  /** The status of the report, or its substitute. */
  readonly verdict: string;
  readonly tone: Tone;
  /** The facts that both sides must agree on, besides the verdict. */
  readonly identity: string;
}

/** Where a headline must never be green, whatever was computed. */
const TONES: Readonly<Record<Headline, Tone>> = {
  attested: 'good',
  confidential: 'good',
  hashOnly: 'good',
  legacy: 'neutral',
  integrityOnly: 'neutral',
  projectAttested: 'good',
  projectIncomplete: 'neutral',
  projectIntegrityOnly: 'neutral',
  unverifiable: 'unknown',
  failed: 'bad',
  notFound: 'unknown',
  unavailable: 'unknown',
  disagreement: 'bad',
  unchecked: 'unknown',
};

function outcome(headline: Headline, verdict: string, identity = ''): Outcome {
  return { headline, verdict, tone: TONES[headline], identity };
}

export const NOT_FOUND: Outcome = outcome('notFound', 'NOT_FOUND');
export const UNAVAILABLE: Outcome = outcome('unavailable', 'UNAVAILABLE');

export function outcomeOfCheck(check: ArtefactCheck): Outcome {
  return outcome(headlineOf(check), check.report.status, identityOf(check));
}

function headlineOf(check: ArtefactCheck): Headline {
  if (check.kind === 'project') {
    if (check.status === 'FAILED') {
      return check.code === 'VERIFICATION_MATERIAL_UNAVAILABLE' ? 'unverifiable' : 'failed';
    }
    if (check.nodeReceipt.status !== 'PASS') return 'projectIntegrityOnly';
    return check.isWhole ? 'projectAttested' : 'projectIncomplete';
  }
  return certificateHeadline({
    status: check.status,
    classification: check.nodeResponse.classification,
    isReceiptValid: check.layers.receipt.status === 'PASS',
    isHashOnly: check.facts.isHashOnly,
  });
}

function identityOf(check: ArtefactCheck): string {
  if (check.kind === 'project') {
    const { projectHash, nodeId, keyFingerprint, registeredAt, report, steps } = check;
    const passed = steps.filter(({ status }) => status !== 'FAILED' && status !== 'WITHDRAWN').length;
    return JSON.stringify([
      projectHash.submitted,
      projectHash.computed,
      nodeId,
      keyFingerprint,
      registeredAt,
      passed,
      report.checks,
    ]);
  }
  const { certificateHash, computedCertificateHash, nodeId, keyFingerprint, attestedAt } = check.facts;
  return JSON.stringify([
    certificateHash,
    computedCertificateHash,
    nodeId,
    keyFingerprint,
    attestedAt,
    check.report.checks,
  ]);
}

/** The browser's check: a result, or the reason why it failed. */
export type BrowserOutcome =
  | { readonly state: 'done'; readonly outcome: Outcome }
  | { readonly state: 'failed'; readonly reason: 'node' | 'silent' | 'engine' | 'pin'; readonly detail?: string };

/**
 * One verdict from two sides. The browser's own check decides; where it differs from the server's, or could not run,
 * the verdict is never green.
 */
export function agree(server: Outcome, browser: BrowserOutcome): Outcome {
  if (browser.state === 'failed') return server.headline === 'unavailable' ? server : outcome('unchecked', 'UNCHECKED');
  // A server that could not reach the node has no result that could differ.
  if (server.headline === 'unavailable') return browser.outcome;
  const isSame =
    server.headline === browser.outcome.headline &&
    server.verdict === browser.outcome.verdict &&
    server.identity === browser.outcome.identity;
  return isSame ? browser.outcome : outcome('disagreement', 'DISAGREEMENT');
}
