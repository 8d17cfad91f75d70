import { hashText, tenantTag } from '../leaf/leaf.js';
import { leafHashOfOpening, type Opening } from '../leaf/opening.js';
import { appendLeaves, EMPTY_FRONTIER, frontierOf, rootOfFrontier, type Frontier } from '../merkle/frontier.js';
import { equalBytes, leafHash } from '../merkle/hash.js';
import { verifyInclusion } from '../merkle/verify.js';
import type { TreeHead } from '../note/checkpoint.js';
import type { LogPolicy } from '../policy/policy.js';
import { judgeCheckpoint } from '../proof/judge-checkpoint.js';
import { parseTlogProof } from '../proof/tlog-proof.js';
import { TlogError } from '../tlog-error.js';
import { parseEpoch, type Epoch } from './epoch.js';
import { readMapProof, tenantHeadValue } from './tenant-map.js';

/** One end of a range: an epoch, and the head of the tenant's tree in it. */
export interface EpochEnd {
  readonly epoch: number;
  /** The entry of the epochs log, its bytes. */
  readonly entry: Uint8Array;
  /** A tlog-proof of the entry. */
  readonly proof: string;
  readonly head: TreeHead;
  /** Of the tenant in the map of the epoch, from leaf to root. */
  readonly siblings: readonly Uint8Array[];
}

/** Whose range it is. */
export interface RangeOwner {
  readonly nodeId: string;
  readonly tenantId: string;
  /** Of the receipts log. */
  readonly origin: string;
}

/** One leaf of a range, as its opening shows it. */
export interface OpenedLeaf {
  readonly opening: Opening;
  /** Of the receipt or deletion that an owner's opening commits to. */
  readonly digest: Uint8Array | null;
}

export type CompletenessCode = 'LOG_EPOCH_INVALID' | 'LOG_HEAD_INVALID' | 'LOG_RANGE_INVALID' | 'LOG_TENANT_MISMATCH';

export type EndVerdict =
  | { readonly status: 'valid'; readonly epoch: Epoch; readonly witnesses: readonly string[] }
  | { readonly status: 'invalid'; readonly code: CompletenessCode };

/** The last part of the name of the epochs log. */
export const EPOCHS_SUFFIX = '/epochs';

/** Whether the epoch is in the epochs log under the policy, and the head is the tenant's in it. */
export async function verifyEpochEnd(end: EpochEnd, owner: RangeOwner, policy: LogPolicy): Promise<EndVerdict> {
  const proven = await provenEpoch(end, owner, policy);
  if (proven === null) return { status: 'invalid', code: 'LOG_EPOCH_INVALID' };
  const tag = tenantTag(owner.nodeId, owner.tenantId);
  const element = { key: tag, value: tenantHeadValue(end.head) };
  const answer = readMapProof({ siblings: end.siblings, end: element }, tag, proven.epoch.tenants);
  return answer.status === 'present' ? { status: 'valid', ...proven } : { status: 'invalid', code: 'LOG_HEAD_INVALID' };
}

/** An epoch that the epochs log holds, and the witnesses of the policy that cosigned it. */
interface ProvenEpoch {
  readonly epoch: Epoch;
  readonly witnesses: readonly string[];
}

async function provenEpoch(
  end: EpochEnd,
  { nodeId, origin }: RangeOwner,
  policy: LogPolicy,
): Promise<ProvenEpoch | null> {
  try {
    const epoch = parseEpoch(end.entry);
    const { index, path, checkpoint } = parseTlogProof(end.proof);
    const place = { leafIndex: index, treeSize: checkpoint.size, path };
    const isOurs =
      epoch.nodeId === nodeId &&
      epoch.log.origin === origin &&
      checkpoint.origin === `${origin}${EPOCHS_SUFFIX}` &&
      epoch.epoch === index &&
      end.epoch === index;
    if (!isOurs || !verifyInclusion(leafHash(end.entry), place, checkpoint.root)) return null;
    const signed = await judgeCheckpoint(checkpoint, policy);
    if (signed.status !== 'signed' || !signed.isQuorumMet) return null;
    return { epoch, witnesses: signed.witnesses.map(({ name }) => name) };
  } catch (error) {
    if (error instanceof TlogError) return null;
    throw error;
  }
}

/** A range of a tenant's tree: everything between two of its heads. */
export interface LeafRangeProof {
  /** Null for a range from the first leaf on. */
  readonly from: TreeHead | null;
  readonly to: TreeHead;
  /** Of the tree at `from`. */
  readonly peaks: readonly Uint8Array[];
  /** One for each leaf after `from`, in order. */
  readonly leaves: readonly OpenedLeaf[];
}

/**
 * Whether the leaves are all that was appended between both heads, in their order, each with its own number and tenant.
 * @returns null when they are
 */
export function checkRange({ from, to, peaks, leaves }: LeafRangeProof, owner: RangeOwner): CompletenessCode | null {
  const start = startOf(from, peaks);
  if (start === null || start.size + leaves.length !== to.size) return 'LOG_RANGE_INVALID';
  const tag = hashText(tenantTag(owner.nodeId, owner.tenantId));
  const hashes: Uint8Array[] = [];
  for (const [at, { opening, digest }] of leaves.entries()) {
    const hash = leafHashOfOpening(opening, digest);
    if (hash === null) return 'LOG_RANGE_INVALID';
    hashes.push(hash);
    if (opening.form !== 'owner' && opening.form !== 'label') continue;
    if (opening.label.tenant !== tag) return 'LOG_TENANT_MISMATCH';
    if (opening.label.number !== start.size + at + 1) return 'LOG_RANGE_INVALID';
  }
  return equalBytes(rootOfFrontier(appendLeaves(start, hashes)), to.root) ? null : 'LOG_RANGE_INVALID';
}

function startOf(from: TreeHead | null, peaks: readonly Uint8Array[]): Frontier | null {
  if (from === null) return peaks.length === 0 ? EMPTY_FRONTIER : null;
  try {
    const frontier = frontierOf(from.size, peaks);
    return equalBytes(rootOfFrontier(frontier), from.root) ? frontier : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
