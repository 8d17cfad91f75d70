import type { JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { auditEntryHash, canonicalAuditEntry, canonicalAuditHead, type AuditEntry } from '@cer/cer-core/logs';
import { encodeBase64Url } from '@cer/keys';
import type { Signing } from '../signing/signing.js';
import { StoreError, type AuditRow, type AuditStore } from '../store/index.js';

/** What is to be written down: everything but place and time, which the log gives. */
export interface AuditAct {
  /** Dotted, e.g. `records.delete`, `keys.rotate`. */
  readonly act: string;
  /** A hash, a kid, a tenant's id. */
  readonly target: string | null;
  readonly actor: string;
  readonly requestId: string | null;
  /** Never raw content, keys or secrets: the log is kept forever. */
  readonly details: JsonObject;
}

export interface AuditLog {
  /**
   * Appends an act, signed and durable when it resolves. Call it before the act: then no act is without its entry.
   * @returns the place of the entry
   */
  append(act: AuditAct): Promise<number>;
}

export interface AuditLogDeps {
  readonly audit: AuditStore;
  readonly signing: Pick<Signing, 'attestorAt'>;
  readonly now: () => Date;
}

/** How often another node may be faster before the act is refused. */
const ATTEMPTS = 100;

/**
 * The audit log that all nodes of a database write: each entry is hashed with the one before it and signed, and of two
 * writers that saw the same end one tries again.
 * @see docs/spec.md, "Audit log"
 */
export function createAuditLog({ audit, signing, now }: AuditLogDeps): AuditLog {
  let queue: Promise<unknown> = Promise.resolve();

  const sign = async (entry: AuditEntry, time: Date): Promise<AuditRow> => {
    const { signer, nodeId } = await signing.attestorAt(time);
    const head = { nodeId, seq: entry.seq, hash: auditEntryHash(entry), kid: signer.kid };
    const signature = await signer.sign(new TextEncoder().encode(canonicalAuditHead(head)));
    const { seq, hash, kid } = head;
    return { seq, entryJson: canonicalAuditEntry(entry), hash, kid, signature: encodeBase64Url(signature) };
  };

  const append = async (act: AuditAct): Promise<number> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const last = await audit.last();
      const prevHash = last?.hash ?? null;
      if (prevHash !== null && !isSha256Hash(prevHash)) throw new Error('the audit log ends in no hash');
      const seq = (last?.seq ?? 0) + 1;
      const time = now();
      if (await audit.append(await sign({ seq, prevHash, at: time.toISOString(), ...act }, time))) return seq;
    }
    throw new StoreError('STORE_CONTENDED', 'other writers of the audit log were faster every time');
  };

  return {
    append: (act) => {
      // One after the other in this process; only other nodes are ever in the way.
      const appended = queue.then(() => append(act));
      queue = appended.catch(() => undefined);
      return appended;
    },
  };
}
