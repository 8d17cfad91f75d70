import { encodeBase64Url, KeyError, type Signer } from '@cer/keys';
import {
  KEY_SET_STATEMENT_TYPE,
  replayKeyHistory,
  type KeySetStatement,
  type StatementSignature,
} from '@cer/keys/key-history';
import { jcsV1 } from '../profiles.js';
import { keyHistoryHead, type KeyHistoryEntries } from './chain.js';

/**
 * Makes the statement over the current history, for a root to sign.
 * @param terms `version` one more than the last; times UTC with milliseconds, `nextUpdate` later than `issuedAt`
 * @throws KeyError KEY_HISTORY_INVALID for an empty or impossible history, a version below 1 or times out of order
 * @see docs/spec.md, "Key set statement"
 */
export function makeKeySetStatement(
  history: KeyHistoryEntries,
  terms: { readonly version: number; readonly issuedAt: string; readonly nextUpdate: string },
): KeySetStatement {
  const { nodeId, entries } = history;
  const { version, issuedAt, nextUpdate } = terms;
  const newest = entries.at(-1);
  if (newest === undefined) throw new KeyError('KEY_HISTORY_INVALID', 'key history: entries must not be empty');
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new KeyError('KEY_HISTORY_INVALID', 'statement: version must be an integer from 1');
  }
  if (issuedAt < newest.issuedAt) {
    throw new KeyError('KEY_HISTORY_INVALID', 'statement: issuedAt must not be before the newest entry');
  }
  if (nextUpdate <= issuedAt) {
    throw new KeyError('KEY_HISTORY_INVALID', 'statement: nextUpdate must be later than issuedAt');
  }
  return {
    type: KEY_SET_STATEMENT_TYPE,
    version,
    issuedAt,
    nextUpdate,
    nodeId,
    historyHead: keyHistoryHead(history),
    keySet: replayKeyHistory(nodeId, entries).keySet,
  };
}

/** Signs a statement with a root key. @see docs/spec.md, "Key set statement" */
export async function signKeySetStatement(statement: KeySetStatement, root: Signer): Promise<StatementSignature> {
  return { kid: root.kid, signature: encodeBase64Url(await root.sign(statementBytes(statement))) };
}

/** The bytes that roots sign: the UTF-8 of the statement's JCS form. */
function statementBytes(statement: KeySetStatement): Uint8Array {
  return new TextEncoder().encode(jcsV1.canonicalize(statement));
}
