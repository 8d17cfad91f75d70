import type { JsonValue } from '@cer/canonical-json';
import { hashKeyHistoryEntry, rootFingerprintOf, verifyKeyHistory } from '@cer/cer-core/logs';
import { KeyError, parseKeyHistory, replayKeyHistory, type KeyHistoryDocument } from '@cer/keys';
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
 * Takes what an offline root signed: the published history, gone on by entries about roots only, with a newer statement.
 * @returns the version and how far it reaches
 * @throws ServiceError VALIDATION_ERROR with what a verifier would refuse, KEY_HISTORY_CONFLICT when the node's own
 *   history went another way meanwhile
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
  // What the node wrote is a prefix of what comes, or the other way round: the node may have gone on meanwhile.
  const shared = Math.min(own.entries.length, entries.length);
  const isSame = shared === 0 || hashAt(own, shared - 1) === hashAt(submitted, shared - 1);
  const added = entries.slice(own.entries.length);
  if (!isSame) throw conflict('entries: tell another story than the key history of this node');
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
      throw conflict('entries: the key history went on meanwhile: sign what is published now');
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

/** Versions that a root may have signed and never published. After the highest number there is, none could follow. */
const MAX_STEP = 1_000_000;

/** As a verifier would that pins a root which signed it, and saw what the node publishes now. */
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
