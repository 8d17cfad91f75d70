import type { JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '@cer/cer-core';
import { auditEntryHash, canonicalAuditEntry, canonicalAuditHead, type AuditEntry } from '@cer/cer-core/logs';
import { encodeBase64Url } from '@cer/keys';
import type { Signing } from '../signing/signing.js';
import { StoreError, type AuditRow, type AuditStore } from '../store/index.js';

/** An entry to append; the log assigns seq and time. */
export interface AuditAct {
  /** Dotted, e.g. `records.delete`, `keys.rotate`. */
  readonly act: string;
  /** A hash, a kid or a tenant id. */
  readonly target: string | null;
  readonly actor: string;
  readonly requestId: string | null;
  /** Never raw content, keys or secrets: the log is permanent. */
  readonly details: JsonObject;
}

export interface AuditLog {
  /**
   * Appends an entry, signed and durable when it resolves. Call it before the act, so that every act has an entry.
   * @returns the seq of the entry
   */
  append(act: AuditAct): Promise<number>;
}

export interface AuditLogDeps {
  readonly audit: AuditStore;
  readonly signing: Pick<Signing, 'attestorAt'>;
  readonly now: () => Date;
}

/** Maximum retries after another node appended first. */
const ATTEMPTS = 100;

/**
 * The audit log shared by all nodes of a database: each entry is hashed with the previous one and signed; of two
 * writers that saw the same head one retries.
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
      // Serialized within this process, so that only other nodes can conflict.
      const appended = queue.then(() => append(act));
      queue = appended.catch(() => undefined);
      return appended;
    },
  };
}
