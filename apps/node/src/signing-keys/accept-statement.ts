import type { JsonValue } from '@cer/canonical-json';
import { hashKeyHistoryEntry, rootFingerprintOf, verifyKeyHistory } from '@cer/cer-core/logs';
import { KeyError } from '@cer/keys';
import { parseKeyHistory, replayKeyHistory, type KeyHistoryDocument } from '@cer/keys/key-history';
import { ServiceError, validationError } from '@cer/http-service';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { SigningKeyStore } from '../store/index.js';
import type { Asked } from './key-operations.js';
import { statementRow } from './key-set-statements.js';

export interface AcceptStatementDeps {
  readonly keyHistory: { document(): Promise<KeyHistoryDocument> };
  readonly store: { readonly signingKeys: SigningKeyStore };
  readonly auditLog: AuditLog;
  readonly now: () => Date;
}

/**
 * Accepts a document signed by an offline root: the published history, extended only by entries about roots, with a
 * newer statement.
 * @returns the version and the covered head
 * @throws ServiceError VALIDATION_ERROR with the fault that a verifier would find, KEY_HISTORY_CONFLICT when the node's
 * history diverged concurrently
 * @see docs/spec.md, "Key history"
 */
export async function acceptStatement(
  { keyHistory, store, auditLog, now }: AcceptStatementDeps,
  body: JsonValue,
  asked: Asked,
): Promise<{ readonly version: number; readonly seq: number }> {
  const submitted = parsed(body);
  const { statement, entries } = submitted;
  if (statement === null) throw validationError(['statement: must not be null']);
  const own = await keyHistory.document();
  // One history must be a prefix of the other: the node may have added entries concurrently.
  const shared = Math.min(own.entries.length, entries.length);
  const isSame = shared === 0 || hashAt(own, shared - 1) === hashAt(submitted, shared - 1);
  const added = entries.slice(own.entries.length);
  if (!isSame) throw conflict('entries: differ from the key history of this node');
  if (added.some(({ change }) => !change.type.startsWith('root-'))) {
    throw validationError(['entries: may add roots only; keys change by the routes of the node']);
  }
  await assertVerified(submitted, own, now());
  const { version } = statement;
  const details = { version, historySeq: statement.historyHead.seq, addedEntries: added.length };
  await auditLog.append({ act: 'keys.history', target: null, details, ...asked });
  if (added.length > 0) {
    const kept = added.map((entry) => ({ seq: entry.seq, json: JSON.stringify(entry) }));
    if (!(await store.signingKeys.change({ keys: [], entries: kept }))) {
      throw conflict('entries: the key history changed concurrently: sign the one that is published now');
    }
  }
  const isKept = await store.signingKeys.addStatement(statementRow(submitted));
  if (!isKept) throw conflict('statement.version: is taken');
  return { version, seq: statement.historyHead.seq };
}

function parsed(body: JsonValue): KeyHistoryDocument {
  try {
    return parseKeyHistory(body);
  } catch (error) {
    if (error instanceof KeyError) throw validationError([error.message]);
    throw error;
  }
}

/**
 * Maximum gap for versions that a root signed without publishing. A version near the maximum integer would block
 * successors.
 */
const MAX_STEP = 1_000_000;

/** Verifies like a verifier that pins a signing root and has seen the currently published document. */
async function assertVerified(submitted: KeyHistoryDocument, own: KeyHistoryDocument, now: Date): Promise<void> {
  const { nodeId, entries, statement, signatures } = submitted;
  const roots = rootsOf(nodeId, entries);
  const signer = signatures.map(({ kid }) => roots.get(kid)).find((root) => root?.status === 'live');
  const verified = await verifyKeyHistory(submitted, {
    nodeId: own.nodeId,
    rootFingerprint: signer === undefined ? null : rootFingerprintOf(signer),
    highestSeen: own.statement,
    at: now.toISOString(),
  });
  if (!verified.accepted) {
    throw validationError(verified.findings.map(({ code, member, detail }) => `${member}: ${detail} (${code})`));
  }
  const published = own.statement?.version ?? 0;
  if (statement !== null && statement.version <= published) {
    throw conflict('statement.version: must be higher than that of the published statement');
  }
  if (statement !== null && statement.version > published + MAX_STEP) {
    throw validationError([
      `statement.version: must be at most ${MAX_STEP} higher than that of the published statement`,
    ]);
  }
}

function rootsOf(...history: Parameters<typeof replayKeyHistory>): ReturnType<typeof replayKeyHistory>['roots'] {
  try {
    return replayKeyHistory(...history).roots;
  } catch (error) {
    if (error instanceof KeyError) throw validationError([error.message]);
    throw error;
  }
}

function hashAt({ entries }: KeyHistoryDocument, at: number): string | null {
  const entry = entries[at];
  return entry === undefined ? null : hashKeyHistoryEntry(entry);
}

function conflict(message: string): ServiceError {
  return new ServiceError({ code: 'KEY_HISTORY_CONFLICT', message });
}
