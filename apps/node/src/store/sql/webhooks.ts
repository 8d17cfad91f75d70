import type { TenantWebhook, WebhookRotation, WebhookStore } from '../ports/webhooks.js';
import type { Database, SqlRow, SqlValue } from './database.js';
import { insertLimited } from './limited-insert.js';
import { text } from './record-rows.js';
import { retryPassing } from './retry.js';

const SELECT = `select webhook_id, tenant_id, url, types_json, secret_id, secret_version, previous_until_ms, created_ms
  from webhooks`;
const ORDER = 'order by created_ms, webhook_id';

/** Webhooks of tenants on either database. */
export class SqlWebhookStore implements WebhookStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(webhook: TenantWebhook, limit: number): Promise<boolean> {
    const { webhookId, tenantId, url, types, secretId, secretVersion, previousUntilMs, createdMs } = webhook;
    return await insertLimited(this.#database, `webhooks of ${tenantId}`, {
      sql: `insert into webhooks
        (webhook_id, tenant_id, url, types_json, secret_id, secret_version, previous_until_ms, created_ms)
        select $1, $2, $3, $4, $5, $6, $7, $8
        where (select count(*) from webhooks where tenant_id = $2 and webhook_id <> $1) < $9
        on conflict (webhook_id) do update set webhook_id = excluded.webhook_id
          where webhooks.tenant_id = $2 and webhooks.url = $3 and webhooks.created_ms = $8
        returning webhook_id`,
      values: [
        ...[webhookId, tenantId, url, types === null ? null : JSON.stringify(types)],
        ...[secretId, secretVersion, previousUntilMs, createdMs, limit],
      ],
    });
  }

  async list(tenantId: string): Promise<readonly TenantWebhook[]> {
    return (await this.#run(`${SELECT} where tenant_id = $1 ${ORDER}`, [tenantId])).map(webhookOf);
  }

  async find(tenantId: string, webhookId: string): Promise<TenantWebhook | null> {
    const [row] = await this.#run(`${SELECT} where tenant_id = $1 and webhook_id = $2`, [tenantId, webhookId]);
    return row === undefined ? null : webhookOf(row);
  }

  async all(): Promise<readonly TenantWebhook[]> {
    return (await this.#run(`${SELECT} ${ORDER}`, [])).map(webhookOf);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#run('select 1 from webhooks limit 1', [])).length === 0;
  }

  async byIds(webhookIds: readonly string[]): Promise<readonly TenantWebhook[]> {
    if (webhookIds.length === 0) return [];
    const places = webhookIds.map((_, at) => `$${at + 1}`).join(', ');
    return (await this.#run(`${SELECT} where webhook_id in (${places})`, webhookIds)).map(webhookOf);
  }

  async rotate({
    tenantId,
    webhookId,
    secretVersion,
    previousUntilMs,
  }: Parameters<WebhookStore['rotate']>[0]): Promise<WebhookRotation> {
    const rows = await this.#run(
      `update webhooks set secret_version = $3 + 1, previous_until_ms = $4
        where tenant_id = $1 and webhook_id = $2 and secret_version = $3 returning webhook_id`,
      [tenantId, webhookId, secretVersion, previousUntilMs],
    );
    if (rows.length > 0) return 'rotated';
    // After a commit whose answer was lost, the repeated update finds its own version.
    const found = await this.find(tenantId, webhookId);
    if (found === null) return 'unknown';
    const isOurs = found.secretVersion === secretVersion + 1 && found.previousUntilMs === previousUntilMs;
    return isOurs ? 'rotated' : 'superseded';
  }

  async remove(tenantId: string, webhookId: string): Promise<void> {
    const values = [tenantId, webhookId];
    await retryPassing(() =>
      this.#database.transact([
        { sql: 'delete from webhooks where tenant_id = $1 and webhook_id = $2', values },
        { sql: 'delete from alert_deliveries where tenant_id = $1 and endpoint = $2', values },
      ]),
    );
  }

  #run(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return retryPassing(() => this.#database.all(sql, values));
  }
}

function webhookOf(row: SqlRow): TenantWebhook {
  return {
    webhookId: text(row, 'webhook_id'),
    tenantId: text(row, 'tenant_id'),
    url: text(row, 'url'),
    types: row['types_json'] === null ? null : textsIn(text(row, 'types_json')),
    secretId: text(row, 'secret_id'),
    secretVersion: Number(row['secret_version']),
    previousUntilMs: Number(row['previous_until_ms']),
    createdMs: Number(row['created_ms']),
  };
}

function textsIn(json: string): readonly string[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
