import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { NodeKeySet } from '@cer/keys';
import { isSha256Hash, type Sha256Hash } from '../hash.js';
import { pooledVerifier, signatureFault, trustOf, type Trust } from '../verify/signature.js';
import {
  auditEntryHash,
  canonicalAuditHead,
  isPosition,
  readAuditEntry,
  type AuditEntry,
  type AuditHead,
} from './audit-entry.js';

export type AuditFaultCode =
  /** Not an entry of this protocol, or not JSON. */
  | 'AUDIT_ENTRY_MALFORMED'
  /** The entry was changed: its hash does not recompute. */
  | 'AUDIT_HASH_MISMATCH'
  /** An entry before it is missing, was changed or was added. */
  | 'AUDIT_LINK_BROKEN'
  /** The node did not sign this entry at this position. */
  | 'AUDIT_SIGNATURE_INVALID'
  /** The log has no signed head, or the signature of its last entry is not a trusted one. */
  | 'AUDIT_HEAD_UNSIGNED'
  /** The log is shorter than before. */
  | 'AUDIT_TRUNCATED'
  /** The log differs from the one seen before. */
  | 'AUDIT_REWRITTEN';

/** The first fault of a log. */
export interface AuditFault {
  readonly code: AuditFaultCode;
  /** The entry; null for a fault of the whole log. */
  readonly seq: number | null;
  readonly detail: string;
}

export interface AuditVerification {
  /** The node's keys, pinned by the caller. */
  readonly keySet: NodeKeySet;
  /** The head when the caller last saw the log, so that truncation and rewriting are detected. */
  readonly seen: Pick<AuditHead, 'seq' | 'hash'> | null;
}

/**
 * Checks an audit log of any length entry by entry, in the memory of one entry.
 * @see docs/spec.md, "Audit log"
 */
export class AuditChainCheck {
  readonly #keySet: NodeKeySet;
  readonly #trust: Trust;
  readonly #seen: AuditVerification['seen'];
  #last: { readonly seq: number; readonly hash: Sha256Hash; readonly kid: string } | null = null;

  constructor({ keySet, seen }: AuditVerification) {
    this.#keySet = keySet;
    this.#trust = trustOf({ keySet, verifySignature: pooledVerifier, verifiedAt: '' });
    this.#seen = seen;
  }

  /** Number of entries accepted so far. */
  get entries(): number {
    return this.#last?.seq ?? 0;
  }

  /** @param value `{entry, hash, kid, signature}`, parsed @returns the fault, or null */
  async add(value: JsonValue): Promise<AuditFault | null> {
    const expected = this.entries + 1;
    const row = readRow(value);
    if (row === null) return fault('AUDIT_ENTRY_MALFORMED', expected, 'is not an entry of an audit log');
    const { entry, hash, kid, signature } = row;
    if (entry.seq !== expected) {
      return fault('AUDIT_LINK_BROKEN', expected, `is missing: entry ${entry.seq} is in its place`);
    }
    if (hashOrNull(entry) !== hash) return fault('AUDIT_HASH_MISMATCH', expected, 'does not hash to its stated hash');
    if (entry.prevHash !== (this.#last?.hash ?? null)) {
      return fault('AUDIT_LINK_BROKEN', expected, 'does not name the hash of the entry before it');
    }
    const unsigned = await this.#signatureFault({ nodeId: this.#keySet.nodeId, seq: expected, hash, kid, signature });
    if (unsigned !== null) return fault('AUDIT_SIGNATURE_INVALID', expected, unsigned);
    if (this.#seen?.seq === expected && this.#seen.hash !== hash) {
      return fault('AUDIT_REWRITTEN', expected, 'is not the entry that ended the log when it was seen before');
    }
    this.#last = { seq: expected, hash, kid };
    return null;
  }

  /**
   * Call it after the last entry.
   * @param head the head that the log states; undefined when it states none
   * @returns the fault, or null: the log is whole up to here
   */
  async end(head: JsonValue | undefined): Promise<AuditFault | null> {
    if (this.#seen !== null && this.#seen.seq > this.entries) {
      return fault('AUDIT_TRUNCATED', null, `ends at ${this.entries}, and ended at ${this.#seen.seq} before`);
    }
    const read = readAuditHead(head);
    if (read === null) return fault('AUDIT_HEAD_UNSIGNED', null, 'does not say where it ends');
    if (this.#last === null || read.seq > this.#last.seq) {
      return fault('AUDIT_TRUNCATED', null, `ends at ${this.entries}, and its head says ${read.seq}`);
    }
    if (read.seq !== this.#last.seq || read.hash !== this.#last.hash) {
      return fault('AUDIT_HEAD_UNSIGNED', read.seq, 'is named as the end of the log, and is not');
    }
    const unsigned = await this.#signatureFault(read);
    if (unsigned !== null) return fault('AUDIT_HEAD_UNSIGNED', read.seq, unsigned);
    // Earlier entries may be signed with keys revoked since: later entries cover them. No entry covers the last.
    return this.#keySet.entries.get(read.kid)?.status === 'revoked'
      ? fault('AUDIT_HEAD_UNSIGNED', read.seq, 'is signed with a key that was revoked')
      : null;
  }

  async #signatureFault(head: AuditHead): Promise<string | null> {
    if (head.nodeId !== this.#keySet.nodeId) return 'is signed in the name of another node';
    const key = this.#keySet.entries.get(head.kid)?.key;
    if (key === undefined) return 'is signed with a key that is not in the key set';
    if (!key.usable) return `is signed with a key that is unusable: ${key.reason}`;
    const broken = await signatureFault(this.#trust, key.publicKey, canonicalAuditHead(head), head.signature);
    return broken === null ? null : `has a signature that ${broken}`;
  }
}

/** Reads a head of unknown content; null when it is not one. */
export function readAuditHead(value: JsonValue | undefined): AuditHead | null {
  if (!isJsonObject(value)) return null;
  const nodeId = member(value, 'nodeId');
  const seq = member(value, 'seq');
  const signed = readSigned(value);
  return typeof nodeId === 'string' && isPosition(seq) && signed !== null ? { nodeId, seq, ...signed } : null;
}

function readRow(value: JsonValue): ({ readonly entry: AuditEntry } & Omit<AuditHead, 'nodeId' | 'seq'>) | null {
  if (!isJsonObject(value)) return null;
  const entry = readAuditEntry(member(value, 'entry'));
  const signed = readSigned(value);
  return entry === null || signed === null ? null : { entry, ...signed };
}

function readSigned(value: JsonObject): Pick<AuditHead, 'hash' | 'kid' | 'signature'> | null {
  const hash = member(value, 'hash');
  const kid = member(value, 'kid');
  const signature = member(value, 'signature');
  return isSha256Hash(hash) && typeof kid === 'string' && typeof signature === 'string'
    ? { hash, kid, signature }
    : null;
}

function hashOrNull(entry: AuditEntry): Sha256Hash | null {
  try {
    return auditEntryHash(entry);
  } catch {
    // A lone surrogate has no canonical form, so no node wrote it.
    return null;
  }
}

function fault(code: AuditFaultCode, seq: number | null, detail: string): AuditFault {
  return { code, seq, detail: seq === null ? `the log ${detail}` : `entry ${seq} ${detail}` };
}
