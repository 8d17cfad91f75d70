/** The signed key history of a node: its entries, its roots, and the key set that follows from it. */
export {
  REVOCATION_REASONS,
  type HistoryKey,
  type KeyChange,
  type RevocationReason,
  type RootEndorsement,
  type RootIntroduction,
  type RootKey,
} from './key-history/change.js';
export {
  KEY_HISTORY_TYPE,
  KEY_SET_STATEMENT_TYPE,
  parseKeyHistory,
  parseKeyHistoryEntry,
  type KeyHistoryDocument,
  type KeyHistoryEntry,
  type KeyHistoryHead,
  type KeySetStatement,
  type StatementSignature,
} from './key-history/document.js';
export { replayKeyHistory, type HistoryRoot, type ReplayedHistory } from './key-history/replay.js';
