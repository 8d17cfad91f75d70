import type { VerifyOptions } from '@cer/cer-core/verify';
import { parseKeySet, type NodeKeySet } from '@cer/keys';
import { EXIT, type ExitCode } from '../exit-code.js';
import { NO_KEYS } from '../trusted-keys/key-material.js';
import { RAISES_LIMIT, readBytes } from '../files/read-bytes.js';
import { readArtefact } from '../files/read-artefact.js';
import { parsePinnedPolicy } from '../log/log-policy.js';
import { timestampVerifier } from '../trusted-keys/tsa-roots.js';
import { toJsonReport, type JsonReport } from '../report/json-report.js';
import { UsageError } from '../usage-error.js';
import { corrupted, exitCodeOf, verifyAny, type Verification } from '../verification.js';
import type { BatchItem, BatchSettings, Chunk } from './batch-settings.js';

/** The result of one item. */
export interface ItemResult {
  readonly name: string;
  readonly exitCode: ExitCode;
  /** Does a node vouch for it? */
  readonly isAttested: boolean;
  /** Null when it could not be read; then `usage` gives the reason. */
  readonly report: JsonReport | null;
  readonly usage: string | null;
}

const NO_STDIN: AsyncIterable<Uint8Array> = (async function* () {})();

/** Verifies the items of a chunk, in order. Signatures of different items are checked at the same time. */
export async function verifyChunk(chunk: Chunk, settings: BatchSettings): Promise<ItemResult[]> {
  const options: VerifyOptions = {
    keySet: keySetOf(settings),
    timestamps: settings.tsaRootsPem === null ? null : await timestampVerifier(settings.tsaRootsPem),
    transparency: settings.logPolicyText === null ? null : (await parsePinnedPolicy(settings.logPolicyText)).verifier,
    requireLog: settings.requireLog,
    nodeId: settings.nodeId,
    requireAttestation: settings.requireAttestation,
    verifiedAt: settings.verifiedAt,
  };
  return Promise.all(chunk.items.map((item) => verifyItem(item, settings, options)));
}

function keySetOf({ keyDocument, revocationsKnownUntil }: BatchSettings): NodeKeySet | null {
  if (keyDocument === null) return null;
  return { ...parseKeySet(keyDocument), ...(revocationsKnownUntil !== null && { revocationsKnownUntil }) };
}

async function verifyItem(item: BatchItem, settings: BatchSettings, options: VerifyOptions): Promise<ItemResult> {
  const { name } = item;
  try {
    if (item.fault !== undefined) throw new UsageError(item.fault);
    const bytes = 'path' in item ? await readBytes(item.path, NO_STDIN, settings.maxBytes, RAISES_LIMIT) : item.bytes;
    const limit = { maxBytes: settings.maxBytes, advice: RAISES_LIMIT };
    const read = { ...limit, ...('bytes' in item && { levelsAround: item.levelsAround ?? 0 }) };
    return resultOf(name, await verifyAny(readArtefact(bytes, name, read), options));
  } catch (error) {
    if (!(error instanceof UsageError)) return resultOf(name, unforeseen(settings));
    return { name, exitCode: EXIT.usage, isAttested: false, report: null, usage: error.message };
  }
}

/** The result of an item whose verification or thread crashed: failed. */
export function unforeseenResult(name: string, settings: BatchSettings): ItemResult {
  return resultOf(name, unforeseen(settings));
}

function unforeseen({ verifiedAt }: BatchSettings): Verification {
  return corrupted({ code: 'UNKNOWN_ERROR', member: '', detail: 'verification ended unexpectedly' }, verifiedAt);
}

function resultOf(name: string, verification: Verification): ItemResult {
  const outcome =
    verification.kind === 'certificate' ? verification.evaluation.receipt : verification.evaluation.nodeReceipt;
  return {
    name,
    exitCode: exitCodeOf(verification),
    isAttested: outcome.status === 'PASS',
    // The keys are the same for all items: the summary names them, once.
    report: toJsonReport(verification, NO_KEYS),
    usage: null,
  };
}
