import { exceedsDepth, isSameJson, MAX_DEPTH } from '@cer/canonical-json';
import {
  keyFingerprint,
  KeyError,
  parseKeySet,
  publicKeyFromBase64,
  verifySignature,
  type NodeKeySet,
  type SignatureVerifier,
} from '@cer/keys';
import {
  parseKeyHistory,
  replayKeyHistory,
  type HistoryRoot,
  type KeyHistoryDocument,
  type KeyHistoryEntry,
  type KeyHistoryHead,
  type KeySetStatement,
} from '@cer/keys/key-history';
import { isAfter } from '../verify/key-choice.js';
import { counted } from '../wording.js';
import { jcsV1 } from '../profiles.js';
import { followChain } from './chain.js';
import type { KeyHistoryFinding, KeyHistoryNotice, KeyHistoryRefusal } from './findings.js';
import { findFalseEndorsement, isSignedBy, trustedRoots } from './trusted-roots.js';

/** The newest accepted state of a node's history; the caller stores it for the next verification. */
export interface SeenKeyHistory {
  readonly version: number;
  readonly historyHead: KeyHistoryHead;
}

export interface VerifyKeyHistoryOptions {
  /** The node whose keys these must be. Null to inspect only: no history is accepted. */
  readonly nodeId: string | null;
  /** Fingerprint of the pinned root, as `keyFingerprint` writes it. Null to inspect only: no history is accepted. */
  readonly rootFingerprint: string | null;
  /** The state accepted last; null the first time. */
  readonly highestSeen: SeenKeyHistory | null;
  /** The verifier's clock, a timestamp; null skips what depends on it. */
  readonly at: string | null;
  readonly verifySignature?: SignatureVerifier;
}

/** A history that is consistent in itself; its signatures are checked separately. */
export interface ReadKeyHistory {
  readonly document: KeyHistoryDocument;
  readonly statement: KeySetStatement;
  /** As of the statement's head. */
  readonly roots: ReadonlyMap<string, HistoryRoot>;
  /** Kids of the trusted roots with a valid signature over the statement. */
  readonly signedBy: readonly string[];
  /** Entries after the statement's head: no root signed them, and they have no effect. */
  readonly pending: readonly KeyHistoryEntry[];
}

export type KeyHistoryVerification =
  | {
      readonly accepted: true;
      readonly keySet: NodeKeySet;
      readonly seen: SeenKeyHistory;
      readonly history: ReadKeyHistory;
      readonly findings: readonly KeyHistoryFinding<KeyHistoryNotice>[];
    }
  | {
      readonly accepted: false;
      /** For display, as far as the document is consistent. */
      readonly history: ReadKeyHistory | null;
      readonly findings: readonly [KeyHistoryFinding<KeyHistoryRefusal>];
    };

class Refused extends Error {
  readonly finding: KeyHistoryFinding<KeyHistoryRefusal>;

  constructor(code: KeyHistoryRefusal, member: string, detail: string) {
    super(detail);
    this.finding = { code, member, detail };
  }
}

/**
 * Verifies a published key history against a pinned root. Offline and pure; never throws on hostile input.
 * @param value strictly parsed JSON of unknown content
 * @returns the key set to verify receipts with, or the first reason why there is none
 * @see docs/spec.md, "Key history verification"
 */
export async function verifyKeyHistory(
  value: unknown,
  options: VerifyKeyHistoryOptions,
): Promise<KeyHistoryVerification> {
  let history: ReadKeyHistory | null = null;
  try {
    history = await readKeyHistory(value, options.verifySignature ?? verifySignature);
    const replaced = requirePinned(history, options);
    requireNotOlder(history, options.highestSeen);
    const { statement } = history;
    return {
      accepted: true,
      keySet: { ...parseKeySet(statement.keySet), revocationsKnownUntil: statement.issuedAt },
      seen: { version: statement.version, historyHead: statement.historyHead },
      history,
      findings: [...replaced, ...noticesOf(history, options.at)],
    };
  } catch (error) {
    if (error instanceof Refused) return { accepted: false, history, findings: [error.finding] };
    throw error;
  }
}

async function readKeyHistory(value: unknown, verify: SignatureVerifier): Promise<ReadKeyHistory> {
  const document = parsed(value);
  const { nodeId, entries, statement } = document;
  const chain = followChain(document);
  if (chain.hashes === null) throw new Refused('KEY_HISTORY_CHAIN_BROKEN', chain.member, chain.detail);
  if (statement === null) throw new Refused('KEY_HISTORY_UNSIGNED', 'statement', 'is null: no root has signed yet');
  if (statement.nodeId !== nodeId) {
    throw new Refused('KEY_HISTORY_NODE_MISMATCH', 'statement.nodeId', 'names another node than the document');
  }
  const { seq, hash } = statement.historyHead;
  if (chain.hashes[seq - 1] !== hash) {
    throw new Refused('KEY_HISTORY_HEAD_MISMATCH', 'statement.historyHead', 'is not an entry of this history');
  }
  // Pending entries must be possible too, or a root would sign an impossible history.
  const { keySet, roots } = valid(() => replayKeyHistory(nodeId, entries, seq));
  const signed = entries.slice(0, seq);
  if (statement.issuedAt < (signed.at(-1)?.issuedAt ?? '')) {
    throw new Refused('KEY_HISTORY_INVALID', 'statement.issuedAt', 'is before the entry that it covers');
  }
  if (!isSameJson(statement.keySet, keySet)) {
    throw new Refused('KEY_HISTORY_KEY_SET_MISMATCH', 'statement.keySet', 'differs from the result of the history');
  }
  const falseEndorsement = await findFalseEndorsement(nodeId, signed, roots, verify);
  if (falseEndorsement !== null) {
    throw new Refused('KEY_HISTORY_ENDORSEMENT_INVALID', falseEndorsement, 'was not made by the root that it names');
  }
  // All other texts are well-formed by then, so the statement has a canonical form.
  const signedText = jcsV1.canonicalize(statement);
  const signedBy = await signersOf(document, new TextEncoder().encode(signedText), roots, verify);
  return { document, statement, roots, signedBy, pending: entries.slice(seq) };
}

function parsed(value: unknown): KeyHistoryDocument {
  if (exceedsDepth(value, MAX_DEPTH.text)) throw new Refused('KEY_HISTORY_INVALID', '', 'is nested too deep');
  return valid(() => parseKeyHistory(value));
}

function valid<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof KeyError) throw new Refused('KEY_HISTORY_INVALID', '', error.message);
    throw error;
  }
}

async function signersOf(
  { signatures }: KeyHistoryDocument,
  statement: Uint8Array,
  roots: ReadonlyMap<string, HistoryRoot>,
  verify: SignatureVerifier,
): Promise<readonly string[]> {
  const signers = new Set<string>();
  for (const { kid, signature } of signatures) {
    const root = roots.get(kid);
    if (root?.status !== 'live') continue;
    if (await isSignedBy(publicKeyFromBase64(root.publicKey), statement, signature, verify)) signers.add(kid);
  }
  return [...signers];
}

function requirePinned(
  { document, roots, signedBy }: ReadKeyHistory,
  { nodeId, rootFingerprint }: VerifyKeyHistoryOptions,
): KeyHistoryFinding<KeyHistoryNotice>[] {
  if (nodeId === null || rootFingerprint === null) {
    throw new Refused('KEY_HISTORY_ROOT_NOT_PINNED', '', 'no root was pinned, so the history vouches only for itself');
  }
  if (document.nodeId !== nodeId) {
    throw new Refused('KEY_HISTORY_NODE_MISMATCH', 'nodeId', 'is not the node that was pinned');
  }
  const pinned = [...roots.values()].find((root) => rootFingerprintOf(root) === rootFingerprint);
  if (pinned === undefined) {
    throw new Refused('KEY_HISTORY_ROOT_UNKNOWN', '', 'the pinned root is not in this history');
  }
  if (pinned.status === 'revoked') {
    throw new Refused(
      'KEY_HISTORY_ROOT_REVOKED',
      '',
      'the pinned root was revoked: ask the operator for the new fingerprint over a way that you trust',
    );
  }
  const trusted = trustedRoots(roots, pinned.kid);
  if (!signedBy.some((kid) => trusted.has(kid))) {
    throw new Refused(
      'KEY_HISTORY_SIGNATURE_INVALID',
      'signatures',
      'none is by a root that the pinned one vouches for',
    );
  }
  if (pinned.status !== 'replaced') return [];
  const detail = 'the pinned root was replaced by one that it vouches for: pin the new one';
  return [{ code: 'KEY_HISTORY_PIN_REPLACED', member: '', detail }];
}

/** The fingerprint that people pin. */
export function rootFingerprintOf(root: Pick<HistoryRoot, 'publicKey'>): string {
  return keyFingerprint(publicKeyFromBase64(root.publicKey));
}

function requireNotOlder({ document, statement }: ReadKeyHistory, seen: SeenKeyHistory | null): void {
  if (seen === null) return;
  const shown = `version ${statement.version} with ${counted(statement.historyHead.seq, 'entry', 'entries')}`;
  const before = `version ${seen.version} with ${seen.historyHead.seq}`;
  if (statement.version < seen.version || statement.historyHead.seq < seen.historyHead.seq) {
    throw new Refused('KEY_HISTORY_ROLLBACK', 'statement', `is ${shown}, older than the accepted one: ${before}`);
  }
  const chain = followChain(document);
  const isSame = chain.hashes?.[seen.historyHead.seq - 1] === seen.historyHead.hash;
  const isNewEntryInOldVersion =
    statement.version === seen.version && statement.historyHead.seq !== seen.historyHead.seq;
  if (!isSame || isNewEntryInOldVersion) {
    throw new Refused('KEY_HISTORY_FORK', 'entries', 'differ from the history that was accepted before');
  }
}

function noticesOf({ statement, pending }: ReadKeyHistory, at: string | null): KeyHistoryFinding<KeyHistoryNotice>[] {
  const notices: KeyHistoryFinding<KeyHistoryNotice>[] = [];
  const { nextUpdate, issuedAt } = statement;
  if (at !== null && isAfter(at, nextUpdate)) {
    const detail = 'a newer statement was due: a revocation since then would not be seen here';
    notices.push({ code: 'KEY_HISTORY_OVERDUE', member: 'statement.nextUpdate', detail });
  }
  if (at !== null && isAfter(issuedAt, at)) {
    const detail = 'is later than the clock of this verifier: one of the two clocks is wrong';
    notices.push({ code: 'KEY_HISTORY_FROM_FUTURE', member: 'statement.issuedAt', detail });
  }
  if (pending.length > 0) {
    const detail = `${pending.length} newer entries await the signature of a root and change nothing yet`;
    notices.push({ code: 'KEY_HISTORY_PENDING', member: `entries[${statement.historyHead.seq}]`, detail });
  }
  return notices;
}
