import { setTimeout as sleep } from 'node:timers/promises';

import type { AuditLog } from '../audit-log/audit-log.js';
import { StoreError, type HeldKind, type RecordPlace, type Store } from '../store/index.js';
import { settingsOf } from '../tenants/tenant-settings.js';

export interface SweepDeps {
  readonly store: Pick<Store, 'tenantSettings' | 'retention'>;
  readonly auditLog: AuditLog;
  readonly now: () => Date;
}

const DAY_MS = 86_400_000;
const TENANTS_AT_ONCE = 100;
const MIN_PAUSE_MS = 20;

/**
 * Deletes records and projects past their tenant's retention period, except those under a legal hold. It stores no
 * position: deleted items are no longer due, so a sweep may end early or run twice concurrently.
 * @param signal ends it after the current batch
 * @returns how many records and projects were deleted
 * @throws the first error of a tenant's settings or the audit log, after the other tenants are swept
 * @see docs/spec.md, "Retention"
 */
export async function sweep(deps: SweepDeps, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  let failure: Error | null = null;
  for (let after = ''; ;) {
    const tenants = await deps.store.tenantSettings.withRetention(after, TENANTS_AT_ONCE);
    for (const tenantId of tenants) {
      try {
        for (const kind of ['records', 'projects'] as const) deleted += await sweepTenant(deps, kind, tenantId, signal);
      } catch (error) {
        // Without the database no tenant is swept; a failure of one tenant does not affect the others.
        if (error instanceof StoreError) throw error;
        failure ??= error instanceof Error ? error : new Error('a tenant could not be swept', { cause: error });
      }
    }
    const last = tenants.at(-1);
    if (last === undefined || signal.aborted) break;
    after = last;
  }
  if (failure !== null) throw failure;
  return deleted;
}

async function sweepTenant(deps: SweepDeps, kind: HeldKind, tenantId: string, signal: AbortSignal): Promise<number> {
  const { store, auditLog } = deps;
  let deleted = 0;
  for (let after: RecordPlace | null = null; !signal.aborted;) {
    const startedAt = performance.now();
    // Read for each batch, so that a longer retention period takes effect at once.
    const before = await keptFrom(deps, tenantId);
    if (before === null) break;
    const { due, next } = await store.retention.due(kind, tenantId, before, after);
    if (due.length > 0) {
      // Logged first, so that every deletion has an entry.
      const auditSeq = await auditLog.append({
        act: `${kind}.retention`,
        target: tenantId,
        actor: 'retention',
        requestId: null,
        details: { before, hashes: due.map(({ hash }) => hash) },
      });
      deleted += await store.retention.deleteDue(kind, due, auditSeq);
    }
    if (next === null) break;
    after = next;
    // Uses at most half of the time, so that certify never waits for more than one batch.
    const pause = Math.max(MIN_PAUSE_MS, performance.now() - startedAt);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
  return deleted;
}

/** Items older than this time are due; null when none are. */
async function keptFrom({ store, now }: SweepDeps, tenantId: string): Promise<string | null> {
  const { retentionDays, legalHold } = settingsOf(await store.tenantSettings.find(tenantId));
  if (retentionDays === null || legalHold) return null;
  // Deletion is irreversible, so one clock that is far ahead must not be sufficient.
  const time = Math.min(now().getTime(), await store.retention.clockMs());
  return new Date(time - retentionDays * DAY_MS).toISOString();
}
