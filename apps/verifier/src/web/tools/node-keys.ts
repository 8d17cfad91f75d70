import type { KeyHistoryFinding } from '@cer/cer-core/logs';
import type { KeySource } from '../../check/check-result.js';
import { KEY_HISTORY_PATH, KEY_SET_PATH } from '../../check/key-set-path.js';
import type { Engine } from '../engine.js';
import { fetchText } from '../node-text.js';
import { rememberedPin, renewPin } from './pin-memory.js';

/** Keys that count, with where they came from. */
export interface PinnedKeys {
  readonly text: string;
  readonly source: KeySource;
}

export type NodeKeys =
  | { readonly state: 'have'; readonly keys: PinnedKeys }
  | { readonly state: 'unavailable' }
  | { readonly state: 'silent'; readonly part: 'keySet' | 'keyHistory' }
  /** The visitor pinned a root that does not sign the published history. */
  | { readonly state: 'refused'; readonly finding: KeyHistoryFinding };

/**
 * The keys of this site's node: those that the visitor's pinned root signs, else the key set. Where a root is pinned the
 * key set never takes its place.
 * @throws EngineFailure
 */
export async function nodeKeys(nodeUrl: string, engine: Engine): Promise<NodeKeys> {
  const pin = rememberedPin();
  const where = `${nodeUrl}${pin === null ? KEY_SET_PATH : KEY_HISTORY_PATH}`;
  const answer = await fetchText(where);
  if (answer === 'silent') return { state: 'silent', part: pin === null ? 'keySet' : 'keyHistory' };
  if (typeof answer === 'string') return { state: 'unavailable' };
  const { text } = answer;
  const at = new Date().toISOString();
  if (pin === null) return { state: 'have', keys: { text, source: { kind: 'node', where, at } } };
  const { seen: highestSeen, nodeId, rootFingerprint } = pin;
  const result = await engine.ask('pin', { text, pin: { nodeId, rootFingerprint }, highestSeen, at });
  if (!result.accepted) return { state: 'refused', finding: result.finding };
  renewPin({ nodeId, rootFingerprint, seen: result.seen });
  const source: KeySource = { kind: 'node', where, at, voucher: result.voucher };
  return { state: 'have', keys: { text: result.keySet, source } };
}
