import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import type { SeenKeyHistory } from '@cer/cer-core/logs';
import { nameOf } from '../files/read-bytes.js';
import { readState, stateFileOf, writeState } from '../files/state-file.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

// The newest accepted state of each pinned history on this computer. Without it an old history, from before a
// revocation, would pass for the newest.

/** The node, and the root that vouches for its keys. */
export interface HistoryPin {
  readonly nodeId: string;
  /** As `keyFingerprint` writes it. */
  readonly rootFingerprint: string;
}

/**
 * The file that stores the accepted state of a pin.
 * @throws UsageError when neither XDG_STATE_HOME nor HOME is an absolute path
 */
export function stateFile({ nodeId, rootFingerprint }: HistoryPin, env: Io['env']): string {
  return stateFileOf('accepted key histories', 'key-histories', JSON.stringify([rootFingerprint, nodeId]), env);
}

/**
 * The state last accepted under a pin; null when there is none.
 * @throws UsageError when the file is there and cannot be read: an older history would pass unnoticed
 */
export async function readSeen(pin: HistoryPin, env: Io['env']): Promise<SeenKeyHistory | null> {
  const path = stateFile(pin, env);
  const state = await readState(path);
  if (state === undefined) return null;
  const seen = asSeen(state);
  if (seen !== null) return seen;
  throw new UsageError(
    `${nameOf(path)}: does not name the accepted key history. Restore it; without it an old history passes unnoticed`,
  );
}

function asSeen(value: JsonValue): SeenKeyHistory | null {
  const head = isJsonObject(value) ? member(value, 'historyHead') : undefined;
  if (!isJsonObject(value) || !isJsonObject(head)) return null;
  const [version, seq, hash] = [member(value, 'version'), member(head, 'seq'), member(head, 'hash')];
  if (!Number.isSafeInteger(version) || typeof version !== 'number') return null;
  if (!Number.isSafeInteger(seq) || typeof seq !== 'number' || !isSha256Hash(hash)) return null;
  return { version, historyHead: { seq, hash } };
}

/**
 * Stores the accepted state, unless a newer one is stored already.
 * @throws UsageError when it cannot be written
 */
export async function keepSeen(
  pin: HistoryPin,
  seen: SeenKeyHistory,
  io: Pick<Io, 'env' | 'randomId' | 'onInterrupt'>,
): Promise<void> {
  const path = stateFile(pin, io.env);
  // Read again: another process may have stored a newer one concurrently.
  const stored = await readSeen(pin, io.env);
  if (stored !== null && stored.version >= seen.version) return;
  const { nodeId, rootFingerprint } = pin;
  await writeState(path, { nodeId, rootFingerprint, ...seen }, io);
}
