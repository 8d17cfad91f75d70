import { publicKeyFromBase64, type Signer } from '@cer/keys';
import { noteKeyOf, type NoteKey } from '@cer/tlog/note';
import type { LogRow } from '../store/index.js';

/** One open log with its key. */
export interface OpenedLog {
  readonly row: LogRow;
  readonly key: NoteKey;
  /** Opened at its first use, so that a log on a token that is away does not stop the node. */
  readonly signer: () => Promise<Signer>;
}

/** The two logs of a node. */
export interface OpenedLogs {
  readonly receipts: OpenedLog;
  readonly epochs: OpenedLog;
}

/** The id of the tree of a log among its tiles; trees of tenants have positive ids. */
export function treeIdOf({ logId }: Pick<LogRow, 'logId'>): number {
  return -logId;
}

/** The verifier key of a log. */
export function noteKeyOfLog({ origin, publicKey }: Pick<LogRow, 'origin' | 'publicKey'>): NoteKey {
  return noteKeyOf(origin, 'ed25519', publicKeyFromBase64(publicKey).raw);
}
