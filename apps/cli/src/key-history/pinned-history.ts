import { isJsonObject, member, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import {
  rootFingerprintOf,
  verifyKeyHistory,
  type KeyHistoryRefusal,
  type KeyHistoryVerification,
} from '@cer/cer-core/logs';
import { loadKeys, type KeyLookup } from '../trusted-keys/key-material.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { readHistory } from './history-source.js';
import { keepSeen, readSeen, stateFile, type HistoryPin } from './seen-histories.js';

/** @throws UsageError unless the flag is a fingerprint as reports print it */
export function readFingerprint(flag: string | undefined): string {
  if (flag === undefined) throw new UsageError('--root is missing: pass the fingerprint of the root that you trust');
  if (!isSha256Hash(flag)) throw new UsageError('--root: must be sha256: and 64 lower-case hex digits');
  return flag;
}

/**
 * Verifies a history against a pin and against the state accepted before, and stores the accepted state.
 * @throws UsageError when that state cannot be read or written
 * @see docs/spec.md, "Key history verification"
 */
export async function verifyPinned(
  document: JsonValue,
  pin: HistoryPin,
  io: Pick<Io, 'env' | 'now' | 'randomId' | 'onInterrupt'>,
): Promise<KeyHistoryVerification> {
  const highestSeen = await readSeen(pin, io.env);
  const result = await verifyKeyHistory(document, { ...pin, highestSeen, at: io.now().toISOString() });
  if (!result.accepted) return result;
  await keepSeen(pin, result.seen, io);
  // A verifier that moves from a replaced root to its successor continues from the same state.
  for (const kid of result.history.signedBy) {
    const root = result.history.roots.get(kid);
    if (root === undefined) continue;
    await keepSeen({ nodeId: pin.nodeId, rootFingerprint: rootFingerprintOf(root) }, result.seen, io);
  }
  return result;
}

/** The node that a document of unknown content names; empty when it names none. */
export function nodeIdIn(document: JsonValue): string {
  const nodeId = isJsonObject(document) ? member(document, 'nodeId') : undefined;
  return typeof nodeId === 'string' ? nodeId : '';
}

const ADVICE: ReadonlyMap<KeyHistoryRefusal, string> = new Map([
  [
    'KEY_HISTORY_ROOT_UNKNOWN',
    'Compare the fingerprint of the root with the one that the operator gives you over a trusted channel.',
  ],
  ['KEY_HISTORY_UNSIGNED', 'Ask the operator to sign the history with the root key (cer keys root sign).'],
  [
    'KEY_HISTORY_NODE_MISMATCH',
    'This is the history of another node: correct the node ID or the source of the history.',
  ],
]);

/** The advice for a refused history. */
export function adviceOn(code: KeyHistoryRefusal, pin: HistoryPin, env: Io['env']): string {
  if (code === 'KEY_HISTORY_ROLLBACK' || code === 'KEY_HISTORY_FORK') {
    return (
      'The node, or an attacker between you and it, hides or changes what was published before. Trust no key of this ' +
      `history and ask the operator. The state accepted before is in ${stateFile(pin, env)}.`
    );
  }
  return ADVICE.get(code) ?? 'Trust no key of this history. Fetch it again; if the refusal persists, ask the operator.';
}

/** The flags that pin the accepted keys. */
export interface PinFlags {
  readonly keys?: string | undefined;
  readonly history?: string | undefined;
  readonly root?: string | undefined;
}

/**
 * Loads the keys that the flags pin: a key set (`--keys`), or what a root vouches for (`--history` and `--root`).
 * @param nodeId the node that the history must be of; null accepts any node that the root vouches for
 * @throws UsageError as `loadKeys`, and for flags that do not go together
 */
export async function loadPinnedKeys(flags: PinFlags, nodeId: string | null, io: Io): Promise<KeyLookup> {
  if (flags.history === undefined) {
    if (flags.root !== undefined) throw new UsageError('--root goes with --history FILE|URL');
    return loadKeys(flags.keys, io);
  }
  if (flags.keys !== undefined) throw new UsageError('--keys and --history exclude each other');
  const rootFingerprint = readFingerprint(flags.root);
  const read = await readHistory(flags.history, io);
  if (read.unavailable !== null) return { material: null, unavailable: read.unavailable };
  const pin = { nodeId: nodeId ?? nodeIdIn(read.document), rootFingerprint };
  const result = await verifyPinned(read.document, pin, io);
  if (!result.accepted) {
    const [{ code, member: place, detail }] = result.findings;
    const where = place === '' ? '' : `${place} `;
    const unavailable = `the key history was refused [${code}]: ${where}${detail}. ${adviceOn(code, pin, io.env)}`;
    return { material: null, unavailable };
  }
  const { statement } = result.history;
  const voucher = { rootFingerprint, revocationsKnownUntil: statement.issuedAt, notices: result.findings };
  return {
    material: { keySet: result.keySet, document: keySetIn(read.document), source: read.source, voucher },
    unavailable: null,
  };
}

/** The accepted key set as JSON, for another thread. */
function keySetIn(document: JsonValue): JsonValue {
  const statement = isJsonObject(document) ? member(document, 'statement') : undefined;
  return (isJsonObject(statement) ? member(statement, 'keySet') : undefined) ?? null;
}
