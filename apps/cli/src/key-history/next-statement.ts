import type { JsonValue } from '@cer/canonical-json';
import {
  makeKeySetStatement,
  nextKeyHistoryEntry,
  nextRootEntry,
  signKeySetStatement,
  verifyKeyHistory,
  type KeyHistoryFinding,
  type KeyHistoryRefusal,
  type SeenKeyHistory,
} from '@cer/cer-core/logs';
import { keyFingerprint, KeyError, toSpkiBase64, type Signer } from '@cer/keys';
import {
  KEY_HISTORY_TYPE,
  parseKeyHistory,
  replayKeyHistory,
  type KeyHistoryDocument,
  type KeyHistoryEntry,
  type KeySetStatement,
  type RootKey,
} from '@cer/keys/key-history';

/** A statement that is ready to be signed: nothing is signed before a person has seen it. */
export interface NextStatement {
  readonly statement: KeySetStatement;
  readonly entries: readonly KeyHistoryEntry[];
  /** Those that no statement of this root's covers yet. */
  readonly added: readonly KeyHistoryEntry[];
}

/** Why a root does not sign: a refusal of the history, or of this root's place in it. */
export class NotSigned extends Error {
  readonly code: KeyHistoryRefusal;

  constructor(code: KeyHistoryRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

export interface SigningTerms {
  /** The state that this root signed or accepted last for this node. */
  readonly highestSeen: SeenKeyHistory | null;
  /** Another root to bring in, endorsed by the one that signs. */
  readonly newRoot: RootKey | null;
  readonly now: Date;
  /** For how many days no newer statement is promised. */
  readonly days: number;
}

/**
 * Makes the statement over a whole history that follows the last one. Into a history without any root the signing one is
 * entered as the first.
 * @throws NotSigned when the history is not one that this root may vouch for
 * @see docs/spec.md, "Key set statement"
 */
export async function nextStatement(document: JsonValue, root: Signer, terms: SigningTerms): Promise<NextStatement> {
  try {
    return await next(document, root, terms);
  } catch (error) {
    if (error instanceof KeyError) throw new NotSigned('KEY_HISTORY_INVALID', error.message);
    throw error;
  }
}

async function next(document: JsonValue, root: Signer, terms: SigningTerms): Promise<NextStatement> {
  const history = parseKeyHistory(document);
  const { nodeId } = history;
  const { version, vouchedSeq } = await standingOf(history, root, terms);
  const issuedAt = terms.now.toISOString();
  const entries = [...history.entries];
  const { roots } = replayKeyHistory(nodeId, entries);
  const own = roots.get(root.kid);
  if (own === undefined && roots.size > 0) {
    throw new NotSigned(
      'KEY_HISTORY_ROOT_UNKNOWN',
      'another root vouches for this history already, and this one is not in it',
    );
  }
  if (own !== undefined && own.status !== 'live') {
    throw new NotSigned('KEY_HISTORY_ROOT_REVOKED', `this root was ${own.status}: it counts no more`);
  }
  if (own === undefined) {
    const change = { type: 'root-added', root: { kid: root.kid, publicKey: toSpkiBase64(root.publicKey) } } as const;
    entries.push(nextKeyHistoryEntry({ nodeId, entries }, { issuedAt, change }));
  }
  if (terms.newRoot !== null) {
    const change = { type: 'root-added', root: terms.newRoot } as const;
    entries.push(await nextRootEntry({ nodeId, entries }, { issuedAt, change }, root));
  }
  const statement = makeKeySetStatement(
    { nodeId, entries },
    {
      version: Math.max(version, terms.highestSeen?.version ?? 0) + 1,
      issuedAt,
      nextUpdate: new Date(terms.now.getTime() + terms.days * 86_400_000).toISOString(),
    },
  );
  return { statement, entries, added: entries.slice(vouchedSeq) };
}

/**
 * One statement per second for thirty years. A compromised node could publish the highest version there is: no statement
 * could follow it, and no key could be revoked after that.
 */
const MAX_UNVOUCHED_VERSION = 1_000_000_000;

/** The state of a history: its newest version, and the last entry that this root already vouches for. */
interface Standing {
  readonly version: number;
  readonly vouchedSeq: number;
}

async function standingOf(
  history: KeyHistoryDocument,
  root: Signer,
  { highestSeen, now }: SigningTerms,
): Promise<Standing> {
  const { nodeId, statement } = history;
  if (statement === null) return { version: 0, vouchedSeq: 0 };
  const rootFingerprint = keyFingerprint(root.publicKey);
  const result = await verifyKeyHistory(history, { nodeId, rootFingerprint, highestSeen, at: now.toISOString() });
  const { version, historyHead } = statement;
  if (result.accepted) return { version, vouchedSeq: historyHead.seq };
  const [finding] = result.findings;
  // A new root vouches for nothing yet, and its owner is shown every entry before signing.
  if (finding.code === 'KEY_HISTORY_ROOT_UNKNOWN' || finding.code === 'KEY_HISTORY_SIGNATURE_INVALID') {
    if (version > MAX_UNVOUCHED_VERSION) {
      throw new NotSigned(
        'KEY_HISTORY_INVALID',
        'statement.version is implausibly high, and no known root vouches for it',
      );
    }
    return { version, vouchedSeq: 0 };
  }
  throw asNotSigned(finding);
}

/**
 * Signs a statement, and checks the result as verifiers that pinned this root will.
 * @throws NotSigned when they would refuse it
 */
export async function signNext(
  { statement, entries }: NextStatement,
  root: Signer,
  { highestSeen, now }: Pick<SigningTerms, 'highestSeen' | 'now'>,
): Promise<{ readonly document: KeyHistoryDocument; readonly seen: SeenKeyHistory }> {
  const { nodeId } = statement;
  const signatures = [await signKeySetStatement(statement, root)];
  const document: KeyHistoryDocument = { type: KEY_HISTORY_TYPE, nodeId, entries, statement, signatures };
  const rootFingerprint = keyFingerprint(root.publicKey);
  const result = await verifyKeyHistory(document, { nodeId, rootFingerprint, highestSeen, at: now.toISOString() });
  if (!result.accepted) throw asNotSigned(result.findings[0]);
  return { document, seen: result.seen };
}

function asNotSigned({ code, member, detail }: KeyHistoryFinding<KeyHistoryRefusal>): NotSigned {
  return new NotSigned(code, member === '' ? detail : `${member} ${detail}`);
}
