import { parseJson, type JsonValue } from '@cer/canonical-json';
import { rootFingerprintOf, verifyKeyHistory, type KeyHistoryFinding, type ReadKeyHistory } from '@cer/cer-core/logs';
import { keyFingerprint, publicKeyFromBase64 } from '@cer/keys';
import {
  parseKeyHistory,
  replayKeyHistory,
  type HistoryRoot,
  type KeyHistoryDocument,
  type KeyHistoryEntry,
} from '@cer/keys/key-history';

/** One entry of a key history as people read it. */
export interface HistoryEntryView {
  readonly seq: number;
  readonly issuedAt: string;
  /** No root has signed it: it changes nothing yet. */
  readonly isPending: boolean;
  readonly type: KeyHistoryEntry['change']['type'];
  /** Of the key or root that it is about. */
  readonly kid: string;
  readonly fingerprint: string | null;
  /** Its `notBefore`, `retiredAt` or `revokedAt`. */
  readonly effectiveAt: string | null;
  readonly reason: string | null;
  readonly compromisedSince: string | null;
  /** Kid of the root that makes room. */
  readonly replaces: string | null;
  readonly endorsedBy: string | null;
}

export interface HistoryRootView {
  readonly kid: string;
  readonly fingerprint: string;
  readonly status: HistoryRoot['status'];
  readonly addedAt: string;
  readonly endedAt: string | null;
  /** Its signature is under the newest statement. */
  readonly signsStatement: boolean;
}

/** A key history checked by itself. Trust additionally requires a known fingerprint of a root. */
export interface KeyHistoryCheck {
  /** `signed`: consistent and signed by one of its roots. `unsigned`: consistent, without a root's signature. */
  readonly state: 'signed' | 'unsigned' | 'broken';
  readonly fault: KeyHistoryFinding | null;
  readonly nodeId: string | null;
  readonly statement: {
    readonly version: number;
    readonly issuedAt: string;
    readonly nextUpdate: string;
    readonly entries: number;
    /** A newer one was due: later revocations may be withheld. */
    readonly isOverdue: boolean;
  } | null;
  readonly roots: readonly HistoryRootView[];
  readonly entries: readonly HistoryEntryView[];
}

/**
 * Reads a key history and checks what it can show by itself: form, chain, changes, signatures of its roots. Never throws
 * on hostile input.
 * @param at the reader's clock, ISO-8601
 * @see docs/spec.md, "Key history verification"
 */
export async function checkKeyHistory(text: string, at: string): Promise<KeyHistoryCheck> {
  const value = readJson(text);
  const result = await verifyKeyHistory(value, { nodeId: null, rootFingerprint: null, highestSeen: null, at: null });
  if (result.accepted) throw new Error('a history was accepted without a pin');
  const [fault] = result.findings;
  const { history } = result;
  if (history !== null && fault.code === 'KEY_HISTORY_ROOT_NOT_PINNED') return signedHistoryCheck(history, at);
  const document = documentIn(value);
  const shown = document === null ? NOTHING : shownParts(document, []);
  // Form, chain and changes are checked before a missing signature is reported.
  if (fault.code === 'KEY_HISTORY_UNSIGNED') return { ...shown, state: 'unsigned', fault: null, statement: null };
  return { ...shown, state: 'broken', fault, statement: null };
}

function signedHistoryCheck({ document, statement, signedBy }: ReadKeyHistory, at: string): KeyHistoryCheck {
  const { version, issuedAt, nextUpdate, historyHead } = statement;
  const isOverdue = new Date(at).toISOString() > nextUpdate;
  const shown = shownParts(document, signedBy);
  const fault: KeyHistoryFinding | null =
    signedBy.length > 0
      ? null
      : { code: 'KEY_HISTORY_SIGNATURE_INVALID', member: 'signatures', detail: 'none is by a root that counts' };
  return {
    ...shown,
    state: fault === null ? 'signed' : 'broken',
    fault,
    statement: { version, issuedAt, nextUpdate, entries: historyHead.seq, isOverdue },
  };
}

function readJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    // Null is not a history, so it is refused with the right message.
    return null;
  }
}

function documentIn(value: JsonValue): KeyHistoryDocument | null {
  try {
    return parseKeyHistory(value);
  } catch {
    return null;
  }
}

const NOTHING = { nodeId: null, roots: [], entries: [] } as const;

function shownParts(
  { nodeId, entries, statement }: KeyHistoryDocument,
  signedBy: readonly string[],
): Pick<KeyHistoryCheck, 'nodeId' | 'roots' | 'entries'> {
  const signedUpTo = statement?.historyHead.seq ?? 0;
  return {
    nodeId,
    roots: rootsOf(nodeId, statement === null ? entries : entries.slice(0, signedUpTo), signedBy),
    entries: entries.map((entry) => entryView(entry, entry.seq > signedUpTo)),
  };
}

function rootsOf(
  nodeId: string,
  entries: readonly KeyHistoryEntry[],
  signedBy: readonly string[],
): readonly HistoryRootView[] {
  try {
    return [...replayKeyHistory(nodeId, entries).roots.values()].map((root) => ({
      kid: root.kid,
      fingerprint: rootFingerprintOf(root),
      status: root.status,
      addedAt: root.addedAt,
      endedAt: root.endedAt ?? null,
      signsStatement: signedBy.includes(root.kid),
    }));
  } catch {
    // Impossible changes: the fault says which.
    return [];
  }
}

const UNSAID = { effectiveAt: null, reason: null, compromisedSince: null, replaces: null, endorsedBy: null } as const;

function entryView({ seq, issuedAt, change }: KeyHistoryEntry, isPending: boolean): HistoryEntryView {
  const base = { ...UNSAID, seq, issuedAt, isPending, type: change.type };
  switch (change.type) {
    case 'key-added': {
      const { kid, publicKey, notBefore } = change.key;
      return { ...base, kid, fingerprint: keyFingerprint(publicKeyFromBase64(publicKey)), effectiveAt: notBefore };
    }
    case 'key-activated':
      return { ...base, kid: change.kid, fingerprint: null };
    case 'key-retired':
      return { ...base, kid: change.kid, fingerprint: null, effectiveAt: change.retiredAt };
    case 'key-revoked':
      return { ...base, ...endOf(change), effectiveAt: change.revokedAt };
    case 'root-revoked':
      return { ...base, ...endOf(change) };
    case 'root-added':
    case 'root-replaced':
      return {
        ...base,
        kid: change.root.kid,
        fingerprint: rootFingerprintOf(change.root),
        replaces: change.type === 'root-replaced' ? change.kid : null,
        endorsedBy: change.endorsement?.kid ?? null,
      };
  }
}

function endOf({
  kid,
  reason,
  compromisedSince = null,
}: {
  readonly kid: string;
  readonly reason: string;
  readonly compromisedSince?: string | null;
}): Pick<HistoryEntryView, 'kid' | 'fingerprint' | 'reason' | 'compromisedSince'> {
  return { kid, fingerprint: null, reason, compromisedSince };
}
