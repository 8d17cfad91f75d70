import { randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

const TABLE = 'write_probes';
/** Size of the probe's row; random, so that no database stores it in less. */
const FILLER_BYTES = 6 * 1024;

/** The table of `Database.proveWritable`, as a migration of the service makes it. */
export function createWriteProbes(schema: Knex.SchemaBuilder): Knex.SchemaBuilder {
  return schema.createTable(TABLE, (table) => {
    table.text('probe_id').primary();
    table.text('filler').notNullable();
  });
}

/** Writes a row of the size of a large one, and removes it. @throws errors of the driver */
export async function probeWrite(db: Knex): Promise<void> {
  await db(TABLE).insert({ probe_id: randomUUID(), filler: randomBytes(FILLER_BYTES).toString('base64') });
  await db(TABLE).delete();
}
