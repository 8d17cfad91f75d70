// G13: records on PostgreSQL, batched by the node's store with few and many callers, compared with single inserts by knex
// with 16 clients. The peer writes one table with two indexes, the store two tables with eight.
import { randomUUID } from 'node:crypto';
import knex from 'knex';
import { startPostgresServer } from '../scripts/test/postgres-server.mjs';
import { openStore } from '../apps/node/dist/store/index.js';
import { caseOf, median, ratio } from './measure.mjs';

const CALLERS = [
  { callers: 64, goal: 2.3 },
  { callers: 256, goal: 3.6 },
];
const CLIENTS = 16;

function newRecord() {
  const id = randomUUID();
  const time = new Date().toISOString();
  const text = JSON.stringify({ filler: 'x'.repeat(1500) });
  return {
    tenantId: 'bench',
    certificateHash: `sha256:${id.replaceAll('-', '').repeat(2)}`,
    kind: 'full',
    executionId: id,
    bundleType: 'cer.ai.execution.v1',
    protocolVersion: '1.2.0',
    appId: null,
    provider: 'example',
    model: 'example-1',
    reviewedHash: null,
    attestationId: randomUUID(),
    attestedAt: time,
    kid: 'bench',
    requestId: id,
    bundleJson: text,
    metaJson: text,
    publicCerJson: null,
    resealedCertificateHash: null,
    visibility: 'visible',
    createdAt: time,
    timestamp: time,
    commitmentSecretId: null,
  };
}

/** Runs a number of concurrent calls for a duration. @returns calls per second */
async function rate(inFlight, seconds, call) {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: inFlight }, async () => {
      let done = 0;
      for (; performance.now() < until; done += 1) await call();
      return done;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedAt) / 1000);
}

export async function postgresCases({ rounds, seconds }) {
  const server = await startPostgresServer();
  try {
    const store = await openStore({ databaseUrl: await server.createDatabase('ours'), queueLimit: 10_000 });
    const db = knex({
      client: 'pg',
      connection: await server.createDatabase('single'),
      pool: { min: CLIENTS, max: CLIENTS },
    });
    await db.schema.createTable('records', (table) => {
      table.text('tenant_id').notNullable();
      table.text('execution_id').notNullable();
      table.text('certificate_hash').notNullable();
      table.text('bundle').notNullable();
      table.text('meta').notNullable();
      table.unique(['tenant_id', 'execution_id']);
      table.unique(['tenant_id', 'certificate_hash']);
    });
    const single = async () => {
      const { tenantId, executionId, certificateHash, bundleJson, metaJson } = newRecord();
      await db('records')
        .insert({
          tenant_id: tenantId,
          execution_id: executionId,
          certificate_hash: certificateHash,
          bundle: bundleJson,
          meta: metaJson,
        })
        .onConflict(['tenant_id', 'execution_id'])
        .ignore();
    };
    const ours = async () => {
      if (!(await store.records.recordOnce(newRecord())).recorded) throw new Error('must be recorded');
    };
    const rates = { ours: new Map(CALLERS.map(({ callers }) => [callers, []])), single: [] };
    for (const { callers } of CALLERS) await rate(callers, seconds, ours);
    await rate(CLIENTS, seconds, single);
    for (let round = 0; round < rounds; round += 1) {
      for (const { callers } of CALLERS) rates.ours.get(callers).push(await rate(callers, seconds, ours));
      rates.single.push(await rate(CLIENTS, seconds, single));
    }
    await store.close();
    await db.destroy();
    return {
      cases: [
        ...CALLERS.map(({ callers }) =>
          caseOf(`PostgreSQL, batched by the store, ${callers} callers`, 'rows/s', rates.ours.get(callers)),
        ),
        caseOf(`PostgreSQL, knex single inserts, ${CLIENTS} clients`, 'rows/s', rates.single),
      ],
      ratios: CALLERS.map(({ callers, goal }) =>
        ratio(
          'G13',
          `PostgreSQL batched, ${callers} callers / single inserts`,
          median(rates.ours.get(callers)) / median(rates.single),
          goal,
        ),
      ),
    };
  } finally {
    await server.stop();
  }
}
