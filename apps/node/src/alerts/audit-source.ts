import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import { AuditChainCheck, type AuditFault } from '@cer/cer-core/logs';
import type { Signing } from '../signing/signing.js';
import type { AuditStore } from '../store/index.js';
import type { AlertSource, Observation } from './source.js';

const EVERY_MS = 60 * 60_000;
const ROWS_A_PAGE = 100;
/** Faults that only a process with an earlier head can see. */
const AGAINST_EARLIER_HEAD: readonly string[] = ['AUDIT_TRUNCATED', 'AUDIT_REWRITTEN'];

export interface AuditSourceDeps {
  readonly audit: AuditStore;
  readonly signing: Pick<Signing, 'published'>;
  readonly signal: AbortSignal;
}

/** The last entry of a log that was valid. */
interface Head {
  readonly seq: number;
  readonly hash: Sha256Hash;
}

/** What a whole check found. */
interface Checked {
  readonly fault: AuditFault | null;
  /** The head to remember. */
  readonly head: Head | null;
}

/** The whole audit log is checked once per hour, at half of the time of one thread. */
export function auditSource({ audit, signing, signal }: AuditSourceDeps): AlertSource {
  let lookedMs = -Infinity;
  let seen: Head | null = null;
  let found: readonly Observation[] = [];

  /** @returns null when it was aborted */
  const check = async (): Promise<Checked | null> => {
    const last = await audit.last();
    if (last === null) {
      const fault = { code: 'AUDIT_TRUNCATED', seq: null, detail: 'is empty' } as const;
      return { fault: seen === null ? null : fault, head: seen };
    }
    const { keySet, document } = signing.published();
    const chain = new AuditChainCheck({ keySet, seen });
    for (let after = 0; after < last.seq && !signal.aborted;) {
      const startedAt = performance.now();
      const rows = (await audit.after(after, ROWS_A_PAGE)).filter(({ seq }) => seq <= last.seq);
      for (const { entryJson, hash, kid, signature } of rows) {
        const fault = await chain.add({ entry: parseJson(entryJson), hash, kid, signature });
        if (fault !== null) return { fault, head: seen };
      }
      const end = rows.at(-1);
      if (end === undefined) break;
      after = end.seq;
      await sleep(performance.now() - startedAt, undefined, { ref: false });
    }
    if (signal.aborted) return null;
    const { seq, hash, kid, signature } = last;
    const fault = await chain.end({ nodeId: document.nodeId, seq, hash, kid, signature });
    return { fault, head: fault === null && isSha256Hash(hash) ? { seq, hash } : seen };
  };

  return {
    type: 'audit_log.invalid',
    // Between its checks a process does not know whether a fault that another one found has ended.
    isComplete: false,
    observe: async (at) => {
      if (Math.abs(at.getTime() - lookedMs) < EVERY_MS) return found;
      const first = await check();
      // A key may have been added while the log was read: only the second fault counts.
      const checked = first === null || first.fault === null ? first : await check();
      if (checked === null) return found;
      lookedMs = at.getTime();
      found = observationsOf(checked.fault, seen, lookedMs);
      seen = checked.head;
      return found;
    },
  };
}

/**
 * A fault against an earlier head is a condition of its own: processes without that head can neither see it nor its end.
 * @param seen the head with which the log was checked
 */
function observationsOf(fault: AuditFault | null, seen: Head | null, lookedMs: number): readonly Observation[] {
  const log = { type: 'audit_log.invalid', subject: '', lookedMs } as const;
  const head = seen === null ? null : { ...log, subject: `entry ${seen.seq}` };
  if (fault === null) {
    return [log, ...(head === null ? [] : [head])].map((one) => ({ ...one, isFiring: false, details: {} }));
  }
  const condition = head !== null && AGAINST_EARLIER_HEAD.includes(fault.code) ? head : log;
  const details = { code: fault.code, ...(fault.seq !== null && { seq: fault.seq }) };
  return [{ ...condition, isFiring: true, details }];
}
