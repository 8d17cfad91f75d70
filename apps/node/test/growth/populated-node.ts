import { randomUUID } from 'node:crypto';

import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { executionRequest } from '@cer/cer-core/testing';
import type { PopulatedService } from '@cer/http-service/testing/request-costs';
import type { CountedDatabase, TestDatabase } from '@cer/sql-store/testing';

import { countNewest } from '../../src/coverage/count-certificates.js';
import { waitingDelivery } from '../alerts/waiting-delivery.js';
import { ask, objectAt, textAt } from '../ask.js';
import { askRow } from '../security/ask-row.js';
import type { Caller, Row } from '../security/caller-table.js';
import { makeCallers, makeResources } from '../security/whole-resources.js';
import { startWholeNode, type WholeNode } from '../whole-node.js';

/** A node with `size` of each kind of row. */
export interface PopulatedNode extends PopulatedService<Row> {
  /** Certificates of the owner, as many as there are rows. */
  readonly certificates: readonly JsonObject[];
}

export const callerOf = ({ route }: Row): Caller => (route.includes(' /v1/admin/') ? 'admin' : 'owner');

/** @param database counted, or one on which plans are made without statistics */
export async function populatedNode(size: number, database: TestDatabase | CountedDatabase): Promise<PopulatedNode> {
  const whole = await startWholeNode({ allowOpenRender: false, database });
  const { node } = whole;
  const key = await node.newKey('owner');
  const { tenantId } = await node.store.tenants.createTenant('owner');
  const certificates: JsonObject[] = [];
  for (let at = 0; at < size; at += 1) {
    const body = executionRequest({ executionId: randomUUID(), appId: `app-${at}` });
    const cer = objectAt((await ask(node, 'post', '/v1/cer/ai/certify', { key, body })).body, 'cer');
    if (!isJsonObject(cer)) throw new Error('no certificate');
    certificates.push(cer);
    await addRows(whole, { key, tenantId, cer, at });
  }
  const resources = await makeResources(whole, { tenantId, key });
  await whole.stopLog();
  // Plans follow from what a table holds.
  if ('work' in database) await database.query('analyze');
  const callers = await makeCallers(whole, { name: 'owner', key });
  await countNewest(node.store);
  return {
    certificates,
    send: async (row, body) => {
      const answer = await askRow(node, {
        row: body === undefined ? row : { ...row, body: () => body },
        resources,
        as: callers[callerOf(row)],
      });
      // Counts of refusals wait for seconds in memory: written at a later request, they would be part of its work.
      await node.deps.refusals.flush();
      return answer;
    },
    work: 'work' in database ? database.work : () => ({ statements: 0, rows: 0 }),
    close: whole.close,
  };
}

interface Added {
  readonly key: string;
  readonly tenantId: string;
  readonly cer: JsonObject;
  readonly at: number;
}

/** A project, a tenant, keys, an hour of coverage, a delivery of an alert, and acts in the audit log. */
async function addRows({ node, adminSecret }: WholeNode, { key, tenantId, cer, at }: Added): Promise<void> {
  const project = buildProject({ projectBundleId: randomUUID() }, [{ stepId: 'one', bundle: cer }]);
  await ask(node, 'post', '/v1/project-bundle/register', { key, body: project });
  await node.newKey();
  await node.newKey('owner');
  const day = new Date().toISOString().slice(0, 10);
  await node.database.query(
    `insert into coverage_counts (tenant_id, day, app_id, outcome, count) values ('${tenantId}', '${day}', 'app-${at}', 'certified', 1)`,
  );
  await waitingDelivery(node.store, `w${at}`);
  const hash = encodeURIComponent(textAt(cer, 'certificateHash'));
  const headers = { 'X-Admin-Secret': adminSecret };
  for (const act of ['hold', 'release']) await ask(node, 'post', `/v1/admin/records/${hash}/${act}`, { headers });
}
