import { isJsonObject, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { verifyKeyHistory, type KeyHistoryFinding, type SeenKeyHistory } from '@cer/cer-core/logs';
import type { KeyVoucher } from './check-result.js';

/** The node, and the root that signs its key history, as confirmed by the visitor. */
export interface HistoryPin {
  readonly nodeId: string;
  /** As `keyFingerprint` writes it. */
  readonly rootFingerprint: string;
}

export interface PinRequest {
  /** The key history as JSON text. */
  readonly text: string;
  readonly pin: HistoryPin;
  /** The history last accepted under this pin; null: none is remembered. */
  readonly highestSeen: SeenKeyHistory | null;
  /** ISO-8601, the caller's clock. */
  readonly at: string;
}

export type PinResult =
  | {
      readonly accepted: true;
      /** The key set that the root vouches for, as JSON text. */
      readonly keySet: string;
      readonly voucher: KeyVoucher;
      readonly seen: SeenKeyHistory;
    }
  | { readonly accepted: false; readonly finding: KeyHistoryFinding };

/** Takes the keys of a node from its history, as far as the pinned root vouches for them. */
export async function pinKeyHistory({ text, pin, highestSeen, at }: PinRequest): Promise<PinResult> {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return { accepted: false, finding: { code: 'KEY_HISTORY_INVALID', member: '', detail: 'is not strict JSON' } };
  }
  const result = await verifyKeyHistory(value, { ...pin, highestSeen, at });
  if (!result.accepted) return { accepted: false, finding: result.findings[0] };
  const { version, issuedAt, nextUpdate } = result.history.statement;
  const statement = isJsonObject(value) ? member(value, 'statement') : undefined;
  const keySet = isJsonObject(statement) ? member(statement, 'keySet') : undefined;
  return {
    accepted: true,
    keySet: JSON.stringify(keySet ?? null),
    voucher: { ...pin, version, revocationsKnownUntil: issuedAt, nextUpdate, notices: result.findings },
    seen: result.seen,
  };
}
