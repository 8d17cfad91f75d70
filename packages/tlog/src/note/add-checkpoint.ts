import { encodeBase64 } from '@cer/keys';
import { malformed } from '../tlog-error.js';
import { parseAnyCheckpoint, parseDecimal, parseHash, type SignedCheckpoint } from './checkpoint.js';

/** A checkpoint on its way to a witness, with the proof that it extends what the witness knows. */
export interface AddCheckpoint {
  /** Size of the newest checkpoint of the log that the witness cosigned; 0 for none. */
  readonly oldSize: number;
  /** Consistency path from that size. */
  readonly path: readonly Uint8Array[];
  /** At size 0 its root is not judged. */
  readonly checkpoint: SignedCheckpoint;
}

/** Maximum hashes of a consistency path. */
const MAX_PATH = 63;
const OLD = 'old ';

/**
 * Reads the body of an `add-checkpoint` request without judging signatures, sizes or the proof.
 * @throws TlogError MALFORMED
 * @see https://c2sp.org/tlog-witness
 */
export function parseAddCheckpoint(body: string): AddCheckpoint {
  const gap = body.indexOf('\n\n');
  const [old = '', ...path] = body.slice(0, Math.max(gap, 0)).split('\n');
  if (gap < 0 || !old.startsWith(OLD)) throw malformed('body: must be the old size, a proof and a checkpoint');
  if (path.length > MAX_PATH) throw malformed('body: must have at most 63 lines of proof');
  return {
    oldSize: parseDecimal(old.slice(OLD.length), 'body: the old size'),
    path: path.map((line) => parseHash(line, 'body: a line of the proof')),
    checkpoint: parseAnyCheckpoint(body.slice(gap + 2)),
  };
}

/** The text that {@link parseAddCheckpoint} reads. @param checkpoint the signed note, to the letter */
export function formatAddCheckpoint(request: {
  readonly oldSize: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: string;
}): string {
  const { oldSize, path, checkpoint } = request;
  return `${OLD}${String(oldSize)}\n${path.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${checkpoint}`;
}
