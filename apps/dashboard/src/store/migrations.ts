import { createWriteProbes, type Migration } from '@cer/sql-store';

/** Every tenant has this plan until an operator assigns another. */
export const STANDARD_PLAN_ID = 'standard';

/** Tables whose rows expire, and the column with the time. */
const SWEPT = [
  ['sessions', 'expires_at'],
  ['reader_keys', 'expires_at'],
  ['used_challenges', 'expires_at'],
  ['one_time_links', 'expires_at'],
  ['shares', 'expires_at'],
  ['usage_reports', 'received_at'],
  ['usage_days', 'day'],
  ['login_attempts', 'expire'],
] as const;

/*
 * Times are ISO 8601 in UTC with milliseconds, so that their order as text is their order in time. Secrets are here
 * only as digests: of keys, sessions, links and recovery codes SHA-256, of passwords scrypt with its parameters. Only the
 * secrets of authenticator apps are there themselves, sealed under a key that the database does not have.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    up: (schema) =>
      schema
        .createTable('plans', (table) => {
          table.text('plan_id').primary();
          table.text('name').notNullable().unique();
          table.integer('requests_per_minute');
          table.integer('executions_per_month');
          table.integer('bridge').notNullable();
        })
        .createTable('tenants', (table) => {
          table.text('tenant_id').primary();
          table.text('name').notNullable().unique();
          table.text('status').notNullable();
          table.text('plan_id').notNullable().references('plans.plan_id');
          table.text('settings_json').notNullable();
          table.text('created_at').notNullable();
        })
        .createTable('users', (table) => {
          table.text('user_id').primary();
          table.text('tenant_id').notNullable().references('tenants.tenant_id').index('users_tenant');
          table.text('email').notNullable().unique();
          table.text('name').notNullable();
          table.text('role').notNullable();
          table.text('password_hash');
          table.text('created_at').notNullable();
          table.text('last_login_at');
          table.text('disabled_at');
        })
        .createTable('one_time_links', (table) => {
          table.text('token_hash').primary();
          table.text('user_id').references('users.user_id').index('one_time_links_user');
          table.text('expires_at').notNullable();
          table.text('used_at');
        })
        .createTable('sessions', (table) => {
          table.text('token_hash').primary();
          table.text('user_id').notNullable().references('users.user_id').index('sessions_user');
          table.text('created_at').notNullable();
          table.text('last_seen_at').notNullable();
          table.text('expires_at').notNullable();
        })
        .createTable('api_keys', (table) => {
          table.bigIncrements('seq');
          table.text('key_id').notNullable().unique();
          table.text('tenant_id').notNullable().references('tenants.tenant_id');
          table.text('name').notNullable();
          table.text('key_hash').notNullable().unique();
          table.text('prefix').notNullable();
          table.text('scopes_json').notNullable();
          table.text('created_at').notNullable();
          table.text('last_used_at');
          table.text('expires_at');
          table.text('revoked_at');
          table.index(['tenant_id', 'seq'], 'api_keys_tenant');
        })
        .createTable('usage_days', (table) => {
          table.text('tenant_id').notNullable().references('tenants.tenant_id');
          table.text('day').notNullable();
          table.text('kind').notNullable();
          table.bigInteger('count').notNullable();
          table.primary(['tenant_id', 'day', 'kind']);
        })
        .createTable('usage_reports', (table) => {
          table.text('report_id').primary();
          table.text('received_at').notNullable();
        })
        .createTable('account_acts', (table) => {
          table.bigIncrements('seq');
          table.text('tenant_id').notNullable();
          table.text('at').notNullable();
          table.text('actor').notNullable();
          table.text('act').notNullable();
          table.text('subject').notNullable();
          table.index(['tenant_id', 'seq'], 'account_acts_tenant');
        })
        // The rate limiter's own layout.
        .createTable('login_attempts', (table) => {
          table.string('key', 255).primary();
          table.integer('points').notNullable().defaultTo(0);
          table.bigInteger('expire');
        })
        .raw(`insert into plans (plan_id, name, bridge) values ('${STANDARD_PLAN_ID}', 'Standard', 1)`),
  },
  { version: 2, up: createWriteProbes },
  {
    version: 3,
    up: (schema) =>
      schema.createTable('reader_keys', (table) => {
        table.text('key_hash').primary();
        table.text('tenant_id').notNullable().references('tenants.tenant_id');
        table.text('expires_at').notNullable();
      }),
  },
  {
    version: 4,
    up: (schema) =>
      schema.createTable('identities', (table) => {
        table.text('issuer').notNullable();
        table.text('subject').notNullable();
        table.text('user_id').notNullable().references('users.user_id').index('identities_user');
        table.text('seen_at').notNullable();
        table.primary(['issuer', 'subject']);
      }),
  },
  {
    version: 5,
    up: (schema) =>
      schema.createTable('shares', (table) => {
        table.bigIncrements('seq');
        table.text('share_id').notNullable().unique();
        table.text('tenant_id').notNullable().references('tenants.tenant_id');
        table.text('token_hash').notNullable().unique();
        table.text('kind').notNullable();
        table.text('target').notNullable();
        table.text('created_by').notNullable();
        table.text('created_at').notNullable();
        table.text('expires_at').notNullable();
        table.text('revoked_at');
        table.bigInteger('opens').notNullable().defaultTo(0);
        table.text('last_opened_at');
        table.index(['tenant_id', 'seq'], 'shares_tenant');
      }),
  },
  {
    version: 6,
    up: (schema) =>
      schema
        .createTable('authenticators', (table) => {
          table.text('user_id').primary().references('users.user_id');
          table.text('key_id').notNullable();
          table.text('sealed_secret').notNullable();
          table.text('added_at').notNullable();
          table.bigInteger('last_step').notNullable();
        })
        .createTable('recovery_codes', (table) => {
          table.text('user_id').notNullable().references('users.user_id');
          table.text('code_hash').notNullable();
          table.primary(['user_id', 'code_hash']);
        })
        .createTable('passkeys', (table) => {
          table.text('credential_id').primary();
          table.text('user_id').notNullable().references('users.user_id').index('passkeys_user');
          table.text('name').notNullable();
          table.text('public_key').notNullable();
          table.bigInteger('counter').notNullable();
          table.text('transports_json').notNullable();
          table.text('added_at').notNullable();
          table.text('last_used_at');
        })
        .createTable('used_challenges', (table) => {
          table.text('challenge_hash').primary();
          table.text('expires_at').notNullable();
        }),
  },
  {
    version: 7,
    up: (schema) => schema.raw("alter table reader_keys add column scope text not null default 'audit'"),
  },
  {
    version: 8,
    // A sweep reads only the rows that it removes.
    up: (schema) => {
      for (const [name, column] of SWEPT) {
        schema.alterTable(name, (table) => {
          table.index([column], `${name}_${column}`);
        });
      }
      return schema;
    },
  },
  {
    version: 9,
    // A page of the list reads only its users.
    up: (schema) =>
      schema.alterTable('users', (table) => {
        table.dropIndex([], 'users_tenant');
        table.index(['tenant_id', 'created_at', 'email'], 'users_tenant');
      }),
  },
  {
    version: 10,
    up: (schema) =>
      schema.alterTable('users', (table) => {
        table.text('sessions_ended_at');
      }),
  },
];
