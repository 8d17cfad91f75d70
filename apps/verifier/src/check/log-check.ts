import { isJsonObject, JsonError, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { describeTransparency, readReceipt, type Transparency } from '@cer/cer-core/verify';
import { encodeHex } from '@cer/keys';
import { createTransparencyVerifier, judgeCheckpoint, parseTlogProof, TlogError, type LogPolicy } from '@cer/tlog';
import { leafHashOfOpening, parseOpening, receiptDigest } from '@cer/tlog/leaf';
import { inclusionSteps } from '@cer/tlog/merkle';
import { parseCheckpoint } from '@cer/tlog/note';

/** The newest checkpoint of the node's log, as a person can read it. */
export interface CheckpointCheck {
  readonly origin: string;
  readonly size: number;
  /** 64 lower-case hex digits. */
  readonly root: string;
  /** Witnesses of this site's policy that cosigned, with their newest time, ISO 8601. */
  readonly witnesses: readonly { readonly name: string; readonly at: string }[];
  /** Names of other lines, which cannot be checked here. */
  readonly unchecked: readonly string[];
  /** Whether log and witnesses are those of the policy; null where this site has none. */
  readonly isTrusted: boolean | null;
}

/** The path of one receipt from its leaf to the root that log and witnesses signed. */
export interface ProofCheck {
  readonly verdict: Omit<Transparency, 'detail'> & { readonly detail: string | null };
  readonly index: number;
  readonly treeSize: number;
  /** Hex. */
  readonly leaf: string;
  readonly steps: readonly { readonly side: 'left' | 'right'; readonly neighbour: string; readonly result: string }[];
}

/** @returns null for a text that is not a checkpoint */
export async function checkCheckpoint(text: string, policy: LogPolicy | null): Promise<CheckpointCheck | null> {
  try {
    const checkpoint = parseCheckpoint(text);
    const judged = policy === null ? null : await judgeCheckpoint(checkpoint, policy);
    const signed = judged?.status === 'signed' ? judged : null;
    const known = new Set([checkpoint.origin, ...(policy?.witnesses ?? []).map(({ key }) => key.name)]);
    return {
      origin: checkpoint.origin,
      size: checkpoint.size,
      root: encodeHex(checkpoint.root),
      witnesses: (signed?.witnesses ?? []).map(({ name, times }) => ({
        name,
        at: new Date(Math.max(...times) * 1000).toISOString(),
      })),
      unchecked: [...new Set(checkpoint.note.lines.map(({ name }) => name))].filter((name) => !known.has(name)),
      isTrusted: judged === null ? null : signed?.isQuorumMet === true,
    };
  } catch (error) {
    if (error instanceof TlogError || error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * Follows the proof of a receipt.
 * @param proofText the node's answer: JSON `{proof, notBefore?}`
 * @param publicRecord JSON with receipt and signature
 * @returns null when one of them is not of that form, or the path does not lead to the root
 */
export async function checkProof(
  proofText: string,
  publicRecord: Uint8Array | string,
  policy: LogPolicy | null,
): Promise<ProofCheck | null> {
  try {
    const [entry, record] = [parseJson(proofText), parseJson(publicRecord)];
    const proof = textOf(entry, 'proof');
    const receipt = isJsonObject(record) ? member(record, 'receipt') : undefined;
    const signature = textOf(record, 'signature');
    if (proof === null || signature === null || !isJsonObject(receipt)) return null;
    const { index, path, checkpoint, extra } = parseTlogProof(proof);
    const leaf = leafHashOfOpening(parseOpening(extra), receiptDigest(receipt, signature));
    const place = { leafIndex: index, treeSize: checkpoint.size, path };
    const steps = leaf === null ? null : inclusionSteps(leaf, place, checkpoint.root);
    const signedAt = readReceipt(receipt).receipt?.timestamp;
    if (leaf === null || steps === null || signedAt === undefined) return null;
    const label = { appId: null, bundleType: null, kinds: [] };
    const claim = { proof, notBefore: textOf(entry, 'notBefore'), receipt, signature, signedAt, label };
    const verdict = policy === null ? NOT_CHECKED : await createTransparencyVerifier({ policy })(claim);
    return {
      verdict: { ...verdict, detail: verdict.code === null ? null : describeTransparency(verdict.code) },
      index,
      treeSize: checkpoint.size,
      leaf: encodeHex(leaf),
      steps: steps.map(({ side, neighbour, result }) => ({
        side,
        neighbour: encodeHex(neighbour),
        result: encodeHex(result),
      })),
    };
  } catch (error) {
    if (error instanceof TlogError || error instanceof JsonError || error instanceof RangeError) return null;
    throw error;
  }
}

const NOT_CHECKED = {
  status: 'not-checked',
  code: null,
  origin: null,
  index: null,
  treeSize: null,
  loggedAfter: null,
  loggedBy: null,
  witnesses: [],
} as const;

function textOf(value: JsonValue, name: string): string | null {
  const text = isJsonObject(value) ? member(value, name) : undefined;
  return typeof text === 'string' ? text : null;
}
