import type { Migration } from './migration.js';

/** The operator's messages in the order of their list, and what waits for an endpoint, without reading what was sent. */
export const deliveryLists: Migration = {
  version: 20,
  up: (db) =>
    db.schema
      .raw('create index alert_deliveries_list on alert_deliveries (tenant_id, seq)')
      .raw(
        "create index alert_deliveries_waiting on alert_deliveries (tenant_id, endpoint, due_ms) where state = 'waiting'",
      ),
};
