import { randomUUID } from 'node:crypto';

import { expect, it } from '@jest/globals';

import { buildProject } from '@cer/cer-core/seal';
import { executionRequest } from '@cer/cer-core/testing';
import { namedRows } from '@cer/http-service/testing';
import { describeGrowth } from '@cer/http-service/testing/request-costs';
import { countedTestDatabase } from '@cer/sql-store/testing';
import type { JsonValue } from '@cer/canonical-json';

import { textAt } from '../ask.js';
import { ROWS } from '../security/caller-table.js';
import { sealedElsewhere } from '../sealed-elsewhere.js';
import { callerOf, populatedNode, type PopulatedNode } from './populated-node.js';

/**
 * Routes that answer with a page of rows or read a tile of at most 256 entries; and one that asks for a hundred hashes in
 * one statement, for which PostgreSQL reads all rows of a small tenant. Other routes take the same work on any store.
 */
const READS_MANY: ReadonlySet<string> = new Set([
  ...[
    'GET /v1/records',
    'GET /v1/records/count',
    'GET /v1/records/export',
    'GET /v1/coverage',
    'GET /v1/log/completeness',
  ],
  ...['GET /v1/cer/public', 'GET /v1/log/proof', 'GET /v1/admin/audit', 'GET /v1/admin/alerts/deliveries'],
  'POST /v1/project-bundle/register',
]);

const list = <T>(size: number, make: (at: number) => T): T[] => Array.from({ length: size }, (_, at) => make(at));
const members = (size: number): Record<string, JsonValue> =>
  Object.fromEntries(list(size, (at) => [`k${at}`, `v${at}`]));
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const execution = (size: number): unknown =>
  executionRequest({ executionId: randomUUID(), metadata: members(size), parameters: members(size) });
const foreign = (size: number): unknown => sealedElsewhere({ snapshot: { parameters: members(size) } });
const project = (size: number, { certificates }: PopulatedNode): unknown =>
  buildProject(
    { projectBundleId: randomUUID() },
    certificates.slice(0, size).map((bundle, at) => ({ stepId: `s${at}`, bundle })),
  );
const sketch = (size: number): string => `function setup() {${'rect(1, 2, 3, 4);'.repeat(size)}}`;

/** Bodies of `size` parts; null: the body of the route has no part that can be repeated. */
const BODIES: Readonly<Record<string, ((size: number, on: PopulatedNode) => unknown) | null>> = {
  'POST /v1/cer/ai/certify': execution,
  'POST /v1/cer/ai/certify-batch': (size) => lines(list(size, () => execution(1))),
  'POST /v1/cer/ai/create': execution,
  'POST /api/attest': foreign,
  'POST /api/attest-batch': (size) => lines(list(size, () => foreign(1))),
  'POST /v1/project-bundle/register': project,
  'POST /v1/project-bundle/verify': (size, on) => ({ bundle: project(size, on) }),
  'POST /v1/cer/verify': (size) => ({ bundle: foreign(size) }),
  'POST /api/render': (size) => ({ code: sketch(size), seed: 's', VAR: [] }),
  'POST /verify': (size) => ({ snapshot: { code: sketch(size), seed: 's', vars: [] } }),
  'POST /render': (size) => ({ code: sketch(size) }),
  'POST /v1/admin/recertify-batch': (size, { certificates }) => ({
    certificateHashes: certificates.slice(0, size).map((each) => textAt(each, 'certificateHash')),
    dryRun: true,
  }),
  'POST /v1/webhooks': null,
  'POST /v1/webhooks/:id/test': null,
  'POST /v1/webhooks/:id/rotate': null,
  'POST /v1/webhooks/:id/deliveries/:delivery/send': null,
  'POST /v1/webhooks/:id/remove': null,
  'POST /v1/admin/alerts/deliveries/:id/send': null,
  'POST /v1/admin/tenants/:tenant/settings': null,
  'POST /v1/admin/records/:hash/:act': null,
  'POST /v1/admin/projects/:hash/:act': null,
  'POST /v1/admin/key-history': null,
  'POST /v1/admin/keys/rotate': null,
  'POST /v1/admin/keys/:kid/revoke': null,
};
const bodyOf = (route: string): string => route.replace(/(\/(records|projects)\/:hash)\/\w+$/, '$1/:act');

describeGrowth({
  rows: namedRows(ROWS),
  populate: async (size) => populatedNode(size, await countedTestDatabase()),
  bodies: BODIES,
  readsMany: ({ route }) => READS_MANY.has(route),
  statusOf: (row) => row.expected[callerOf(row)],
});

it('makes a large body for every route that takes one', () => {
  const routes = ROWS.map(({ route }) => route).filter((route) => route.startsWith('POST '));
  expect(Object.keys(BODIES).toSorted()).toEqual([...new Set(routes.map(bodyOf))].toSorted());
});
