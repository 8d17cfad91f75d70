import { decodeBase64, encodeBase64 } from '@cer/keys';
import { parseCheckpoint, parseDecimal, parseHash, type SignedCheckpoint } from '../note/checkpoint.js';
import { malformed } from '../tlog-error.js';

/** A proof that an entry is in a log, complete for an offline check. */
export interface TlogProof {
  /** Application data that nothing authenticates; empty when absent. */
  readonly extra: Uint8Array;
  readonly index: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
/** The path in a tree of 2^53 leaves. */
const MAX_PATH = 53;

/**
 * Reads a proof without judging it.
 * @throws TlogError MALFORMED
 * @see https://c2sp.org/tlog-proof
 */
export function parseTlogProof(text: string): TlogProof {
  const gap = text.indexOf('\n\n');
  if (gap < 0) throw malformed('proof: must hold a checkpoint after an empty line');
  const lines = text.slice(0, gap).split('\n');
  if (lines.shift() !== HEADER) throw malformed(`proof: must begin with ${HEADER}`);
  const extra =
    lines[0]?.startsWith('extra ') === true ? decodeExtra(lines.shift()?.slice('extra '.length) ?? '') : null;
  const index = lines.shift() ?? '';
  if (!index.startsWith('index ')) throw malformed('proof: must name the index');
  if (lines.length > MAX_PATH) throw malformed('proof: the path is longer than any tree is high');
  return {
    extra: extra ?? new Uint8Array(0),
    index: parseDecimal(index.slice('index '.length), 'proof: the index'),
    path: lines.map((line) => parseHash(line, 'proof: a hash of the path')),
    checkpoint: parseCheckpoint(text.slice(gap + 2)),
  };
}

function decodeExtra(text: string): Uint8Array {
  try {
    return decodeBase64(text);
  } catch (cause) {
    throw malformed('proof: extra must be base64', cause);
  }
}

/** The text that {@link parseTlogProof} reads. @param checkpoint the signed note, to the letter */
export function formatTlogProof(proof: {
  readonly extra?: Uint8Array;
  readonly index: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: string;
}): string {
  const { extra, index, path, checkpoint } = proof;
  const lines = [
    HEADER,
    ...(extra === undefined || extra.length === 0 ? [] : [`extra ${encodeBase64(extra)}`]),
    `index ${String(index)}`,
    ...path.map(encodeBase64),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}
