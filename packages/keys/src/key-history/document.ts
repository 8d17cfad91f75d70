import { KeyError } from '../key-error.js';
import type { KeySetDocument } from '../key-set-document.js';
import { isJsonObject, ownMember } from '../own-member.js';
import { parseKeyChange, type KeyChange } from './change.js';
import { refusal, strictMembers } from './read.js';

export const KEY_HISTORY_TYPE = 'svc.key-history.v1';
/** Receipts have no member `type`, so a signature over a statement is never valid for a receipt. */
export const KEY_SET_STATEMENT_TYPE = 'svc.key-set-statement.v1';

/** Maximum entries that a verifier reads: 9 years of daily rotation. */
const MAX_KEY_HISTORY_ENTRIES = 10_000;
const MAX_SIGNATURES = 16;

/** One entry of the append-only list. Its hash is the SHA-256 of its JCS form. */
export interface KeyHistoryEntry {
  /** 1 for the first entry, then increasing by one. */
  readonly seq: number;
  /** `sha256:` and hex: the hash of the previous entry, or the node's start value for the first. */
  readonly prevHash: string;
  /** UTC with milliseconds, never earlier than that of the previous entry. */
  readonly issuedAt: string;
  readonly change: KeyChange;
}

export interface KeyHistoryHead {
  readonly seq: number;
  /** Hash of entry `seq`. */
  readonly hash: string;
}

/**
 * The document that a root signs: the key set that results from the history, and the time by which a newer one is due.
 */
export interface KeySetStatement {
  readonly type: typeof KEY_SET_STATEMENT_TYPE;
  /** Increases by one with each statement of a node. */
  readonly version: number;
  readonly issuedAt: string;
  readonly nextUpdate: string;
  readonly nodeId: string;
  readonly historyHead: KeyHistoryHead;
  readonly keySet: KeySetDocument;
}

export interface StatementSignature {
  /** The root's kid. */
  readonly kid: string;
  /** Ed25519 over the UTF-8 of the statement's JCS form; base64url, 64 bytes. */
  readonly signature: string;
}

/** The JSON that a node publishes at `/.well-known/svc-key-history.json`. @see docs/spec.md, "Key history" */
export interface KeyHistoryDocument {
  readonly type: typeof KEY_HISTORY_TYPE;
  readonly nodeId: string;
  /** All entries; those after the statement's `historyHead` are not signed by a root yet. */
  readonly entries: readonly KeyHistoryEntry[];
  /** Null until a root has signed for the first time. */
  readonly statement: KeySetStatement | null;
  readonly signatures: readonly StatementSignature[];
}

/**
 * Parses a key history: exact members, types, known changes. Does not check hashes, signatures or whether the sequence
 * of changes is possible.
 * @param value untrusted, strictly parsed JSON
 * @throws KeyError KEY_HISTORY_INVALID naming the member and the rule
 */
export function parseKeyHistory(value: unknown): KeyHistoryDocument {
  const document = strictMembers(value, 'document', ['type', 'nodeId', 'entries', 'statement', 'signatures']);
  if (document.value('type') !== KEY_HISTORY_TYPE) throw refusal('document.type', `must be "${KEY_HISTORY_TYPE}"`);
  const statement = document.value('statement');
  return {
    type: KEY_HISTORY_TYPE,
    nodeId: document.text('nodeId'),
    entries: listOf(document.value('entries'), 'entries', MAX_KEY_HISTORY_ENTRIES).map(parseKeyHistoryEntry),
    statement: statement === null ? null : parseKeySetStatement(statement),
    signatures: listOf(document.value('signatures'), 'signatures', MAX_SIGNATURES).map((each, at) => {
      const signature = strictMembers(each, `signatures[${at}]`, ['kid', 'signature']);
      return { kid: signature.text('kid'), signature: signature.text('signature') };
    }),
  };
}

/** @throws KeyError KEY_HISTORY_INVALID */
export function parseKeyHistoryEntry(value: unknown, at: number): KeyHistoryEntry {
  const place = `entries[${at}]`;
  const entry = strictMembers(value, place, ['seq', 'prevHash', 'issuedAt', 'change']);
  return {
    seq: entry.count('seq'),
    prevHash: entry.hash('prevHash'),
    issuedAt: entry.mintedTime('issuedAt'),
    change: parseKeyChange(entry.value('change'), `${place}.change`),
  };
}

function parseKeySetStatement(value: unknown): KeySetStatement {
  const place = 'statement';
  const members = ['type', 'version', 'issuedAt', 'nextUpdate', 'nodeId', 'historyHead', 'keySet'];
  const statement = strictMembers(value, place, members);
  if (statement.value('type') !== KEY_SET_STATEMENT_TYPE) {
    throw refusal(`${place}.type`, `must be "${KEY_SET_STATEMENT_TYPE}"`);
  }
  const head = statement.members('historyHead', ['seq', 'hash']);
  const keySet = statement.value('keySet');
  if (!isKeySetDocument(keySet)) throw refusal(`${place}.keySet`, 'must be {nodeId, activeKid, keys}');
  const issuedAt = statement.mintedTime('issuedAt');
  const nextUpdate = statement.mintedTime('nextUpdate');
  if (nextUpdate <= issuedAt) throw refusal(`${place}.nextUpdate`, 'must be later than issuedAt');
  return {
    type: KEY_SET_STATEMENT_TYPE,
    version: statement.count('version'),
    issuedAt,
    nextUpdate,
    nodeId: statement.text('nodeId'),
    historyHead: { seq: head.count('seq'), hash: head.hash('hash') },
    keySet,
  };
}

/** Checks the outline only: the caller compares the content, byte for byte, with the result of the history. */
function isKeySetDocument(value: unknown): value is KeySetDocument {
  return (
    isJsonObject(value) && typeof ownMember(value, 'nodeId') === 'string' && Array.isArray(ownMember(value, 'keys'))
  );
}

function listOf(value: unknown, place: string, atMost: number): readonly unknown[] {
  if (!Array.isArray(value)) throw refusal(place, 'must be an array');
  if (value.length > atMost)
    throw new KeyError('KEY_HISTORY_INVALID', `key history: ${place} must hold at most ${atMost}`);
  return value;
}
