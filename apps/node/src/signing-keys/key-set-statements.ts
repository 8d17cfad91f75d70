import { makeKeySetStatement, signKeySetStatement, type KeyHistoryEntries } from '@cer/cer-core/logs';
import type { Signer } from '@cer/keys';
import { parseKeyHistory, KEY_HISTORY_TYPE, replayKeyHistory, type KeyHistoryDocument } from '@cer/keys/key-history';
import type { SigningKeyStore, StatementRow } from '../store/index.js';

/** Time until a newer statement is due. */
const VALID_FOR_MS = 7 * 24 * 60 * 60_000;

type Signed = Pick<KeyHistoryDocument, 'statement' | 'signatures'>;

/** The stored statement in its published form. */
export function statementOf(row: StatementRow | null): Signed {
  if (row === null) return { statement: null, signatures: [] };
  const statementJson: unknown = JSON.parse(row.statementJson);
  const signaturesJson: unknown = JSON.parse(row.signaturesJson);
  const { statement, signatures } = parseKeyHistory({
    type: KEY_HISTORY_TYPE,
    nodeId: 'any',
    entries: [],
    statement: statementJson,
    signatures: signaturesJson,
  });
  return { statement, signatures };
}

export function statementRow({ statement, signatures }: Signed): StatementRow {
  if (statement === null) throw new Error('there is no statement to keep');
  return {
    version: statement.version,
    statementJson: JSON.stringify(statement),
    signaturesJson: JSON.stringify(signatures),
  };
}

/**
 * Signs the key set again after new history entries, or after half the time until the next update is due.
 * @param root a root key that is online
 * @returns whether there is a new statement; `root-ended` when one is due but the root was replaced or revoked: its
 * statement would replace one that verifiers accept
 */
export async function signWhenDue(
  store: SigningKeyStore,
  history: KeyHistoryEntries,
  root: Signer,
  now: Date,
): Promise<'signed' | 'not-due' | 'root-ended'> {
  const newest = history.entries.at(-1);
  if (newest === undefined) return 'not-due';
  const { statement } = statementOf(await store.newestStatement());
  if (statement !== null && statement.historyHead.seq >= newest.seq) {
    const left = Date.parse(statement.nextUpdate) - now.getTime();
    if (left > VALID_FOR_MS / 2) return 'not-due';
  }
  const { roots } = replayKeyHistory(history.nodeId, history.entries);
  if (roots.get(root.kid)?.status !== 'live') return 'root-ended';
  const times = [now.toISOString(), newest.issuedAt, statement?.issuedAt ?? ''];
  const issuedAt = times.reduce((a, b) => (a > b ? a : b));
  const made = makeKeySetStatement(history, {
    version: (statement?.version ?? 0) + 1,
    issuedAt,
    nextUpdate: new Date(Date.parse(issuedAt) + VALID_FOR_MS).toISOString(),
  });
  const signatures = [await signKeySetStatement(made, root)];
  return (await store.addStatement(statementRow({ statement: made, signatures }))) ? 'signed' : 'not-due';
}
