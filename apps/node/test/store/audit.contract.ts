import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@cer/canonical-json';
import { AuditChainCheck } from '@cer/cer-core/logs';
import { TEST_ATTESTOR, testKeys } from '@cer/cer-core/testing';
import type { TestDatabase } from '@cer/sql-store/testing';

import { createAuditLog, type AuditAct, type AuditLog } from '../../src/audit-log/audit-log.js';
import type { AuditRow, Store } from '../../src/store/index.js';

const act = (target: string): AuditAct => ({
  act: 'records.hide',
  target,
  actor: 'admin@192.0.2.1',
  requestId: 'r-1',
  details: { tenant: null },
});

function logOn(store: Store): AuditLog {
  return createAuditLog({
    audit: store.audit,
    signing: { attestorAt: async () => TEST_ATTESTOR },
    now: () => new Date(),
  });
}

/** An exported entry `{entry, hash, kid, signature}`. */
function exported({ entryJson, hash, kid, signature }: AuditRow): JsonValue {
  return { entry: JSON.parse(entryJson) as JsonValue, hash, kid, signature };
}

/** Contract of the audit log. @param another opens the same database again */
export function auditContract(
  opened: () => { store: Store; database: TestDatabase; another: () => Promise<Store> },
): void {
  describe('the audit log', () => {
    it('is one chain across concurrent nodes', async () => {
      const { store, another } = opened();
      const second = await another();
      const before = (await store.audit.last())?.seq ?? 0;
      const logs = [logOn(store), logOn(second), logOn(store)];
      const places = await Promise.all(
        Array.from({ length: 30 }, (_, index) => (logs[index % logs.length] ?? logOn(store)).append(act(`t${index}`))),
      );
      expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => before + index + 1));

      const check = new AuditChainCheck({ keySet: testKeys(), seen: null });
      const rows = await store.audit.after(0, 1000);
      for (const row of rows) expect(await check.add(exported(row))).toBeNull();
      const last = rows.at(-1);
      expect(last).toEqual(await store.audit.last());
      const head = { nodeId: TEST_ATTESTOR.nodeId, seq: last?.seq ?? 0, hash: last?.hash ?? '', kid: last?.kid ?? '' };
      expect(await check.end({ ...head, signature: last?.signature ?? '' })).toBeNull();
      await second.close();
    });

    it('accepts each seq once', async () => {
      const { store } = opened();
      await logOn(store).append(act('once'));
      const last = await store.audit.last();
      if (last === null) throw new Error('nothing was appended');
      // The same row again simulates a lost commit response.
      expect(await store.audit.append(last)).toBe(true);
      expect(await store.audit.append({ ...last, hash: 'another' })).toBe(false);
      expect(await store.audit.after(last.seq - 1, 5)).toEqual([last]);
    });

    it('refuses to change or remove a row', async () => {
      const { store, database } = opened();
      await logOn(store).append(act('kept'));
      for (const sql of [
        "update audit_entries set entry_json = '{}'",
        'delete from audit_entries',
        ...(database.url.startsWith('postgres') ? ['truncate audit_entries'] : []),
      ]) {
        // By its text: the driver's error is from another realm than the test's.
        const refusal = await database.query(sql).then(
          () => 'nothing was refused',
          (error: unknown) =>
            typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '',
        );
        expect(refusal).toContain('append-only');
      }
      expect((await store.audit.last())?.entryJson).toContain('"target":"kept"');
    });
  });
}
