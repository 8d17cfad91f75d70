import { expect, it } from '@jest/globals';
import { namedRows } from '@cer/http-service/testing';
import { describeGrowth } from '@cer/http-service/testing/request-costs';
import { countedTestDatabase } from '@cer/sql-store/testing';
import { SERVICE_TOKEN } from '../test-dashboard.js';
import { RECORDS_ROWS, recordsDashboard, type RecordsRow } from './records-dashboard.js';

// The dashboard's own work on what a node answers: the node is another process.

/** Pages of certificates, reviews, applications, webhooks or messages, and a package of all. */
const SHOWS_LIST: ReadonlySet<string> = new Set([
  ...['GET /records', 'GET /records/export', 'GET /records/certificate/:hash', 'GET /coverage', 'GET /shared/:token'],
  'GET /alerts/:webhookId',
]);

const STATUSES: Readonly<Record<string, number>> = {
  'POST /alerts/:webhookId/remove': 303,
  'POST /alerts/:webhookId/test': 303,
  'POST /alerts/:webhookId/messages/:deliveryId/send': 303,
};

describeGrowth<RecordsRow, Awaited<ReturnType<typeof recordsDashboard>>>({
  rows: namedRows(RECORDS_ROWS),
  populate: async (size) => recordsDashboard(size, await countedTestDatabase()),
  bodies: { 'POST /reviews': (size) => ({ comment: 'a line of a comment\n'.repeat(size) }) },
  readsMany: ({ route }) => SHOWS_LIST.has(route),
  statusOf: ({ route }) => STATUSES[route] ?? 200,
});

it('counts no work for what a node asks again while a request is counted', async () => {
  const { controlPlaneUrl, work, close } = await recordsDashboard(1, await countedTestDatabase());
  const ask = async (path: string, body: object): Promise<number> => {
    const response = await fetch(`${controlPlaneUrl}/internal/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  try {
    const key = { keyHash: '0'.repeat(64) };
    expect(await ask('keys/introspect', key)).toBe(200);
    work();
    expect(await ask('keys/introspect', key)).toBe(200);
    expect(await ask('usage', { reportId: 'r', items: [] })).toBe(503);
    expect(work()).toEqual({ statements: 0, rows: 0 });
  } finally {
    await close();
  }
}, 120_000);
