import { namedRows } from '@cer/http-service/testing';
import { describeGrowth } from '@cer/http-service/testing/request-costs';
import { countedTestDatabase } from '@cer/sql-store/testing';
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
