import { setTimeout as sleep } from 'node:timers/promises';
import { parseJson } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '@cer/cer-core';
import { AuditChainCheck, type AuditFault } from '@cer/cer-core/logs';
import type { Signing } from '../signing/signing.js';
import type { AuditStore } from '../store/index.js';
import type { AlertSource } from './source.js';

const EVERY_MS = 60 * 60_000;
const ROWS_A_PAGE = 100;

export interface AuditSourceDeps {
  readonly audit: AuditStore;
  readonly signing: Pick<Signing, 'published'>;
  readonly signal: AbortSignal;
}

/** The whole audit log is checked once per hour, at half of the time of one thread. */
export function auditSource({ audit, signing, signal }: AuditSourceDeps): AlertSource {
  let checkedMs = -Infinity;
  let seen: { readonly seq: number; readonly hash: Sha256Hash } | null = null;

  const check = async (): Promise<AuditFault | null> => {
    const last = await audit.last();
    if (last === null) return seen === null ? null : { code: 'AUDIT_TRUNCATED', seq: null, detail: 'is empty' };
    const { keySet, document } = signing.published();
    const chain = new AuditChainCheck({ keySet, seen });
    for (let after = 0; after < last.seq && !signal.aborted;) {
      const startedAt = performance.now();
      const rows = (await audit.after(after, ROWS_A_PAGE)).filter(({ seq }) => seq <= last.seq);
      for (const { entryJson, hash, kid, signature } of rows) {
        const fault = await chain.add({ entry: parseJson(entryJson), hash, kid, signature });
        if (fault !== null) return fault;
      }
      const end = rows.at(-1);
      if (end === undefined) break;
      after = end.seq;
      await sleep(performance.now() - startedAt, undefined, { ref: false });
    }
    if (signal.aborted) return null;
    const { seq, hash, kid, signature } = last;
    const fault = await chain.end({ nodeId: document.nodeId, seq, hash, kid, signature });
    if (fault === null && isSha256Hash(hash)) seen = { seq, hash };
    return fault;
  };
  let fault: AuditFault | null = null;

  return {
    type: 'audit_log.invalid',
    isComplete: true,
    observe: async (at) => {
      if (at.getTime() - checkedMs >= EVERY_MS) {
        // A key may have been added while the log was read: only the second fault counts.
        fault = (await check()) === null ? null : await check();
        checkedMs = at.getTime();
      }
      if (fault === null) return [];
      const details = { code: fault.code, ...(fault.seq !== null && { seq: fault.seq }) };
      return [{ type: 'audit_log.invalid', subject: '', isFiring: true, details }];
    },
  };
}
