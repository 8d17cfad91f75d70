import type { Database } from '../sql/database.js';
import type { Migration } from './migration.js';

/*
 * List indexes with the other columns that a list is filtered by, so that filters which few records meet are decided
 * without reading rows. SQLite leads by the first of model, application, provider and protocol, or by the timestamp;
 * PostgreSQL by whichever it expects to be the shortest, so that each has all. There a timestamp changes every index of
 * its row anyway.
 */
const RUN = 'bundle_type, visibility, coalesce(first_attested_at, attested_at), seq';
const LABELS = ['model', 'app_id', 'provider', 'protocol_version'] as const;

/** An index that replaces one of an earlier step. */
interface Replaced {
  readonly name: string;
  readonly replaces: string;
  /** Null: of the records with a timestamp. */
  readonly lead: (typeof LABELS)[number] | null;
  readonly more: readonly string[];
}

const APP: Replaced = {
  name: 'records_find_app',
  replaces: 'records_list_app',
  lead: 'app_id',
  more: ['provider', 'protocol_version'],
};
const STAMPED: Replaced = {
  name: 'records_find_stamped',
  replaces: 'records_list_stamped',
  lead: null,
  more: [...LABELS, 'stamped_at'],
};
const NAMES = { model: 'model', app_id: 'app', provider: 'provider', protocol_version: 'protocol' } as const;

const REPLACED: Readonly<Record<Database['dialect'], readonly Replaced[]>> = {
  sqlite: [APP, STAMPED],
  postgres: [
    ...LABELS.map((lead) => ({
      name: `records_find_${NAMES[lead]}`,
      replaces: `records_list_${NAMES[lead]}`,
      lead,
      more: [...LABELS.filter((other) => other !== lead), 'stamped_at'],
    })),
    STAMPED,
  ],
};

export const listColumns: Migration = {
  version: 21,
  up: (db, dialect) => {
    const replaced = REPLACED[dialect];
    const statements = [
      ...replaced.map(
        ({ name, lead, more }) =>
          `create index ${name} on records
             (${['tenant_id', ...(lead === null ? [] : [lead]), RUN, ...more].join(', ')})
           where ${lead ?? 'stamped_at'} is not null`,
      ),
      // Last: on PostgreSQL readers wait from here to the end of the step, and no longer.
      ...replaced.map(({ replaces }) => `drop index ${replaces}`),
    ];
    return statements.reduce((schema, statement) => schema.raw(statement), db.schema);
  },
};
