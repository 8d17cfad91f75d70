import { randomBytes, randomUUID } from 'node:crypto';
import type { PopulatedService } from '@cer/http-service/testing/request-costs';
import type { CountedDatabase, TestDatabase } from '@cer/sql-store/testing';
import { issueApiKey } from '../../src/account/api-key.js';
import { issueLink } from '../../src/links/one-time-link.js';
import { issueShare } from '../../src/shares/share.js';
import type { Caller, Row } from '../security/caller-table.js';
import { startWholeDashboard } from '../security/whole-dashboard.js';
import { PUBLIC_URL, type TestDashboard } from '../test-dashboard.js';

export const callerOf = ({ route }: Row): Caller => {
  if (route.includes(' /internal/')) return 'service token';
  return route.includes(' /v1/operator/') ? 'operator token' : 'owner';
};

/**
 * A dashboard with `size` of each kind of row of one account, and as many accounts.
 * @param database counted, or one on which plans are made without statistics
 */
export async function populatedDashboard(
  size: number,
  database: TestDatabase | CountedDatabase,
): Promise<PopulatedService<Row>> {
  const whole = await startWholeDashboard({ databaseUrl: database.url });
  for (let at = 0; at < size; at += 1) await addRows(whole.dashboard, database, at);
  // Plans follow from what a table holds.
  if ('work' in database) await database.query('analyze');
  return {
    send: (row, body) => whole.send(isPart(body) ? { ...row, ...body } : row, callerOf(row)),
    work: 'work' in database ? database.work : () => ({ statements: 0, rows: 0 }),
    close: async () => {
      await whole.close();
      await database.remove();
    },
  };
}

/** The body of a request, as rows have it. */
function isPart(body: unknown): body is Pick<Row, 'fields' | 'json'> {
  return typeof body === 'object' && body !== null;
}

const YEAR_MS = 365 * 24 * 60 * 60_000;

/** A user with a session, a link, a passkey, a shared link, a key, a day of usage and acts; and the same of another account. */
export async function addRows(
  { store, tenant, now }: TestDashboard,
  { query }: TestDatabase,
  at: number,
): Promise<void> {
  const other = await store.tenants.create({ name: `other ${randomUUID()}` }, 'test');
  const later = new Date(now().getTime() + YEAR_MS).toISOString();
  const day = new Date(now().getTime() - at * 24 * 60 * 60_000).toISOString().slice(0, 10);
  const secret = (): string => randomBytes(32).toString('hex');
  for (const { tenantId } of [tenant, other]) {
    const email = `${randomUUID()}@example.org`;
    const user = await store.users.add({ tenantId, email, name: 'U', role: 'member', passwordHash: 'none' }, 'test');
    if (user === null) throw new Error('the user is known');
    const { userId } = user;
    await store.links.issuePasswordLink(tenantId, userId, issueLink(PUBLIC_URL, YEAR_MS, now()), 'test');
    await store.shares.create(issueShare(PUBLIC_URL, tenantId, { kind: 'set', target: '' }, 7, now()), 'test');
    const { keyHash, prefix } = issueApiKey();
    await store.apiKeys.create({ tenantId, name: `key ${at}`, scopes: ['certify'], keyHash, prefix }, 'test');
    await store.usage.record(secret(), [{ tenantId, kind: 'certify', count: 1 }]);
    const inserts = [
      `usage_days (tenant_id, day, kind, count) values ('${tenantId}', '${day}', 'render', 1)`,
      `sessions values ('${secret()}', '${userId}', '${day}', '${day}', '${later}')`,
      `reader_keys values ('${secret()}', '${tenantId}', '${later}', 'audit')`,
      `identities values ('https://id.example', '${secret()}', '${userId}', '${day}')`,
      `recovery_codes values ('${userId}', '${secret()}')`,
      `passkeys values ('${secret()}', '${userId}', 'p', 'k', 0, '[]', '${day}', null)`,
      `used_challenges values ('${secret()}', '${later}')`,
      `login_attempts values ('${secret()}', 1, 1)`,
    ];
    for (const insert of inserts) await query(`insert into ${insert}`);
  }
}
