/**
 * Findings of a key history check. The list is closed.
 * @see docs/spec.md, "Key history verification"
 */
const KEY_HISTORY_REFUSALS = [
  'KEY_HISTORY_INVALID',
  'KEY_HISTORY_NODE_MISMATCH',
  'KEY_HISTORY_CHAIN_BROKEN',
  'KEY_HISTORY_UNSIGNED',
  'KEY_HISTORY_HEAD_MISMATCH',
  'KEY_HISTORY_KEY_SET_MISMATCH',
  'KEY_HISTORY_ENDORSEMENT_INVALID',
  'KEY_HISTORY_ROOT_NOT_PINNED',
  'KEY_HISTORY_ROOT_UNKNOWN',
  'KEY_HISTORY_ROOT_REVOKED',
  'KEY_HISTORY_SIGNATURE_INVALID',
  'KEY_HISTORY_ROLLBACK',
  'KEY_HISTORY_FORK',
] as const;
const KEY_HISTORY_NOTICES = [
  'KEY_HISTORY_OVERDUE',
  'KEY_HISTORY_FROM_FUTURE',
  'KEY_HISTORY_PENDING',
  'KEY_HISTORY_PIN_REPLACED',
] as const;

export type KeyHistoryRefusal = (typeof KEY_HISTORY_REFUSALS)[number];
export type KeyHistoryNotice = (typeof KEY_HISTORY_NOTICES)[number];

/** A refusal ends the verification; a notice accompanies an accepted history. */
export interface KeyHistoryFinding<Code = KeyHistoryRefusal | KeyHistoryNotice> {
  readonly code: Code;
  /** Path of the member; empty for the whole document. Never a value. */
  readonly member: string;
  readonly detail: string;
}
