import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { jcsV1 } from '../profiles.js';
import { isSha256Hash, sha256, type Sha256Hash } from '../hash.js';

// The audit log of a node: a chain of entries, each holding the hash of the one before it, each signed by the node.
// @see docs/spec.md, "Audit log"

/** One operation by an administrator, a command or the node itself. */
export interface AuditEntry {
  /** Consecutive, starting at 1. */
  readonly seq: number;
  /** The hash of the entry before; null for the first. */
  readonly prevHash: Sha256Hash | null;
  /** Time of the operation by the node's clock: UTC with milliseconds and `Z`. */
  readonly at: string;
  /** The operation, e.g. `records.delete`. */
  readonly act: string;
  /** Its object: a hash, a kid, a tenant's id; null when `details` name it. */
  readonly target: string | null;
  /** The actor, as far as the node knows, e.g. `admin@192.0.2.7`. */
  readonly actor: string;
  /** Id of the request that caused it; null when no request did. */
  readonly requestId: string | null;
  readonly details: JsonObject;
}

/** An entry with its hash and the node's signature over the statement that this hash ends the log. */
export interface SignedAuditEntry {
  readonly entry: AuditEntry;
  readonly hash: Sha256Hash;
  readonly kid: string;
  /** base64url without padding. */
  readonly signature: string;
}

/** The head of a log: enough to detect later truncation or rewriting. */
export interface AuditHead {
  readonly nodeId: string;
  readonly seq: number;
  readonly hash: Sha256Hash;
  readonly kid: string;
  readonly signature: string;
}

const ENTRY_MEMBERS = ['seq', 'prevHash', 'at', 'act', 'target', 'actor', 'requestId', 'details'] as const;

/** The text that is hashed, and stored: the JCS form of the entry. @throws CerError CANONICALIZATION_ERROR */
export function canonicalAuditEntry(entry: AuditEntry): string {
  return jcsV1.canonicalize({ ...entry });
}

/** SHA-256 over the canonical entry. */
export function auditEntryHash(entry: AuditEntry): Sha256Hash {
  return sha256(canonicalAuditEntry(entry));
}

/**
 * The text that the node signs: no receipt has these members, so neither signature serves for the other.
 * @see docs/spec.md, "Audit log"
 */
export function canonicalAuditHead({ nodeId, seq, hash, kid }: Omit<AuditHead, 'signature'>): string {
  return jcsV1.canonicalize({ scope: 'audit', nodeId, seq, hash, kid });
}

/** Reads an entry of unknown content; null unless it has exactly the members of one, of the right types. */
export function readAuditEntry(value: JsonValue | undefined): AuditEntry | null {
  if (!isJsonObject(value) || Object.keys(value).length !== ENTRY_MEMBERS.length) return null;
  const seq = member(value, 'seq');
  const prevHash = member(value, 'prevHash');
  const at = member(value, 'at');
  const act = member(value, 'act');
  const target = member(value, 'target');
  const actor = member(value, 'actor');
  const requestId = member(value, 'requestId');
  const details = member(value, 'details');
  if (!isPosition(seq) || !isTextOrNull(target) || !isTextOrNull(requestId)) return null;
  if (prevHash !== null && !isSha256Hash(prevHash)) return null;
  if (typeof at !== 'string' || typeof act !== 'string' || typeof actor !== 'string') return null;
  if (details === undefined || !isJsonObject(details)) return null;
  return { seq, prevHash, at, act, target, actor, requestId, details };
}

export function isPosition(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}
