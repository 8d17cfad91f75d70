import { KeyError } from '../key-error.js';
import type { KeySetDocument } from '../key-set-document.js';
import { isJsonObject, ownMember } from '../own-member.js';
import { parseKeyChange, type KeyChange } from './change.js';
import { refusal, strictMembers } from './read.js';

export const KEY_HISTORY_TYPE = 'svc.key-history.v1';
/** No receipt has a member `type`: a signature over a statement can never pass as one over a receipt. */
export const KEY_SET_STATEMENT_TYPE = 'svc.key-set-statement.v1';

/** Most entries that a verifier reads; a node that rotated daily would need 9 years to get there. */
export const MAX_KEY_HISTORY_ENTRIES = 10_000;
const MAX_SIGNATURES = 16;

/** One entry of the append-only list. Its hash is the SHA-256 of its JCS form. */
export interface KeyHistoryEntry {
  /** 1 for the first, then one more each. */
  readonly seq: number;
  /** `sha256:` and hex: the hash of the entry before, or the start value of the node for the first. */
  readonly prevHash: string;
  /** UTC with milliseconds, never before that of the entry before. */
  readonly issuedAt: string;
  readonly change: KeyChange;
}

export interface KeyHistoryHead {
  readonly seq: number;
  /** Hash of the entry `seq`. */
  readonly hash: string;
}

/** What a root signs: which key set the history amounts to, and until when a newer one is promised. */
export interface KeySetStatement {
  readonly type: typeof KEY_SET_STATEMENT_TYPE;
  /** One more with each statement of a node. */
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
  /** All of them; those after the statement's `historyHead` await the root's signature. */
  readonly entries: readonly KeyHistoryEntry[];
  /** Null until a root signed for the first time. */
  readonly statement: KeySetStatement | null;
  readonly signatures: readonly StatementSignature[];
}

/**
 * Reads the form of a key history: exact members, types, known changes. Says nothing of hashes, signatures or whether
 * the changes make sense one after another.
 * @param value strictly parsed JSON of unknown content
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

/** Only the outline: what is in it must equal, to the last byte, what the history amounts to. */
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
