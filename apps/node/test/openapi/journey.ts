import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { makeKeySetStatement, signKeySetStatement } from '@cer/cer-core/logs';
import { buildProject } from '@cer/cer-core/seal';
import { CONFIDENTIAL_MEMBERS, executionRequest } from '@cer/cer-core/testing';
import type { Signer } from '@cer/keys';
import { parseKeyHistory } from '@cer/keys/key-history';

import { waitingDelivery } from '../alerts/waiting-delivery.js';
import { ask, objectAt, textAt, type Answer, type Question } from '../ask.js';
import { sealedElsewhere } from '../sealed-elsewhere.js';
import type { TestNode } from '../test-node.js';
import { until } from '../timestamps/timestamping-node.js';

/** One response and its route, named as in the document. */
export interface Met {
  readonly route: string;
  readonly answer: Answer;
}

const UNKNOWN = `sha256:${'0'.repeat(64)}`;

/**
 * Sends valid and invalid requests to every route of a node.
 * @param adminSecret of the node
 * @param root the root key that signs its key history
 */
export async function journey(node: TestNode, adminSecret: string, root: Signer): Promise<Met[]> {
  const met: Met[] = [];
  const key = await node.newKey();
  const visit = async (route: string, question: Question & { readonly query?: string } = {}, ...path: string[]) => {
    const [method, pattern = ''] = route.split(' ');
    const filled = path.reduce(
      (text, value) => text.replace(/:\w+\+?/, (name) => (name.endsWith('+') ? value : encodeURIComponent(value))),
      pattern,
    );
    const { query = '', ...asked } = question;
    const answer = await ask(node, method === 'GET' ? 'get' : 'post', `${filled}${query}`, asked);
    met.push({ route, answer });
    return answer;
  };
  const admin = (body?: unknown): Question => ({
    headers: { 'X-Admin-Secret': adminSecret },
    ...(body !== undefined && { body }),
  });
  const execution = (members: JsonObject = {}): JsonObject =>
    executionRequest({ executionId: randomUUID(), ...members });

  await certifying();
  await lookingUp();
  await alerting();
  await theLog();
  await projects();
  await rendering();
  await theNode();
  await administration();
  return met;

  async function certifying(): Promise<void> {
    const route = 'POST /v1/cer/ai/certify';
    const request = execution({ signals: [{ type: 'check', source: 'test', payload: { passed: true } }] });
    await visit(route, { key, body: request });
    await visit(route, { key, body: request });
    await visit(route, { key, body: execution(CONFIDENTIAL_MEMBERS) });
    await visit(route, { key, body: execution(V2) });
    await visit(route, { key, body: execution({ metadata: { note: 'kept' }, appId: 'journey' }) });
    await visit(route, { key, body: { ...request, model: 'another' } });
    await visit(route, { key, body: {} });
    await visit(route, { key, body: '{' });
    await visit(route, { key, body: execution({ protocolVersion: '1.3.0', input: '\ud800' }) });
    await visit(route, { body: request });
    await visit(route, { key: await node.newKey(randomUUID(), ['render']), body: request });
    await visit(route, { key, body: 'text', headers: { 'Content-Type': 'text/plain' } });
    await visit(route, { key, body: { ...request, input: 'x'.repeat(300_000) } });
    await visit('POST /v1/cer/ai/certify-batch', {
      key,
      body: `${JSON.stringify(execution())}\n{}\n`,
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    await visit('POST /v1/cer/ai/create', { key, body: execution() });
    await visit('POST /v1/cer/ai/create', { key, body: execution(CONFIDENTIAL_MEMBERS) });
    await visit('POST /v1/cer/ai/create', { key, body: {} });
    await visit('POST /api/attest', { key, body: sealedElsewhere({ snapshot: {} }) });
    await visit('POST /api/attest-batch', {
      key,
      body: `${JSON.stringify(sealedElsewhere({ snapshot: {} }))}\n{}\n`,
      headers: { 'Content-Type': 'application/x-ndjson' },
    });
    await visit('POST /api/attest', { key, body: { bundleType: 'none', certificateHash: UNKNOWN } });
    await visit('POST /api/attest', { key, body: { ...sealedElsewhere({ snapshot: {} }), certificateHash: UNKNOWN } });
  }

  async function alerting(): Promise<void> {
    const route = 'POST /v1/webhooks';
    const body = { url: 'https://hooks.example.com/in', types: ['quota.reached'] };
    const made = await visit(route, { key, body });
    const id = textAt(objectAt(made.body, 'webhook'), 'id');
    await visit(route, { key, body: { url: 'http://hooks.example.com/' } });
    await visit(route, { key, body: { url: 'https://hooks.example.com/', types: ['none'] } });
    await visit(route, { body });
    await visit('GET /v1/webhooks', { key });
    const sent = await visit('POST /v1/webhooks/:id/test', { key, body: {} }, id);
    await visit('POST /v1/webhooks/:id/test', { key, body: {} }, 'wh_unknown');
    await visit('GET /v1/webhooks/:id/deliveries', { key, query: '?limit=1' }, id);
    await visit('GET /v1/webhooks/:id/deliveries', { key, query: '?limit=none' }, id);
    await visit('GET /v1/webhooks/:id/deliveries', { key }, 'wh_unknown');
    const again = 'POST /v1/webhooks/:id/deliveries/:delivery/send';
    await visit(again, { key, body: {} }, id, textAt(sent.body, 'deliveryId'));
    await visit(again, { key, body: {} }, id, 'msg_unknown');
    await visit('POST /v1/webhooks/:id/rotate', { key, body: { graceHours: 1 } }, id);
    await visit('POST /v1/webhooks/:id/rotate', { key, body: { graceHours: -1 } }, id);
    await visit('POST /v1/webhooks/:id/rotate', { key, body: {} }, 'wh_unknown');
    await visit('POST /v1/webhooks/:id/remove', { key, body: {} }, id);
    await visit('POST /v1/webhooks/:id/remove', { key, body: {} }, id);
  }

  async function lookingUp(): Promise<void> {
    const certified = await visit('POST /v1/cer/ai/certify', { key, body: execution({ executionId: 'looked-up' }) });
    const hash = textAt(certified.body, 'certificateHash');
    const bundle = objectAt(certified.body, 'cer');
    await visit('POST /v1/cer/verify', { body: { bundle } });
    await visit('POST /v1/cer/verify', { body: { bundle: { ...bundle, certificateHash: UNKNOWN } } });
    await visit('POST /v1/cer/verify', { body: { bundle: {} } });
    await visit('POST /v1/cer/verify', { body: {} });
    await visit('GET /v1/cer/public', { query: `?certificate_hash=${hash}` });
    await visit('GET /v1/cer/public', { query: '?execution_id=looked-up' });
    await visit('GET /v1/cer/public', { query: `?certificate_hash=${UNKNOWN}` });
    await visit('GET /v1/cer/public');
    await visit('GET /api/public-cer-proof', { query: `?certificate_hash=${hash}` });
    await visit('GET /api/public-cer-proof', { query: `?certificate_hash=${UNKNOWN}` });
    await visit('GET /api/public-cer-proof');
    for (const { answer } of met.filter(({ route }) => route.startsWith('POST /v1/cer/ai/certify'))) {
      const seen = isJsonObject(answer.body) && answer.status === 200 ? textAt(answer.body, 'certificateHash') : null;
      if (seen !== null) await visit('GET /v1/cer/public', { query: `?certificate_hash=${seen}` });
    }
    await visit('GET /v1/resolve/cer/:hash', {}, hash);
    await visit('GET /v1/resolve/cer/:hash', {}, 'none');
    await visit('GET /v1/records', { key, query: '?limit=2' });
    await visit('GET /v1/records', { key, query: '?limit=1000' });
    await visit('GET /v1/records/count', { key });
    await visit('GET /v1/records/count', { key, query: '?limit=2' });
    await visit('GET /v1/records', { key, query: '?limit=none' });
    await visit('GET /v1/records/certificate', { key, query: `?certificate_hash=${hash}` });
    await visit('GET /v1/records/certificate', { key, query: `?certificate_hash=${UNKNOWN}` });
    await visit('GET /v1/records/certificate', { key });
    await visit('GET /v1/records/export', { key });
    await visit('GET /v1/records/export', { key, query: '?cursor=x' });
    await visit('GET /v1/coverage', { key });
    await visit('GET /v1/coverage', { key, query: '?from=today' });
    await visit('GET /v1/settings', { key });
  }

  async function theLog(): Promise<void> {
    const certify = { key, body: execution() };
    const certified = await visit('POST /v1/cer/ai/certify', certify);
    const hash = textAt(certified.body, 'certificateHash');
    const proof = { query: `?certificate_hash=${hash}` };
    await until(
      () => visit('GET /v1/log/proof', proof),
      ({ status }) => status === 200,
    );
    await visit('POST /v1/cer/ai/certify', certify);
    await visit('GET /v1/log/proof', { ...proof, headers: { accept: 'application/json' } });
    await visit('GET /v1/log/proof', { query: `?certificate_hash=${UNKNOWN}` });
    await visit('GET /v1/log/proof', { query: `?project_hash=${UNKNOWN}` });
    await visit('GET /v1/log/proof');
    await visit('GET /v1/cer/public', proof);
    await visit('GET /.well-known/svc-log.json');
    await until(
      () => visit('GET /v1/log/completeness', { key }),
      ({ status }) => status === 200,
    );
    await visit('GET /v1/log/completeness', { key: await node.newKey() });
    await visit('GET /v1/log/completeness');
    for (const prefix of ['/log', '/log/epochs']) {
      await visit(`GET ${prefix}/checkpoint`);
      await visit(`GET ${prefix}/tile/:path+`, {}, '0/000.p/1');
      await visit(`GET ${prefix}/tile/:path+`, {}, '0/999');
    }
  }

  async function projects(): Promise<void> {
    const step = async (): Promise<JsonObject> => {
      const { body } = await visit('POST /v1/cer/ai/certify', { key, body: execution() });
      const cer = objectAt(body, 'cer');
      if (!isJsonObject(cer)) throw new Error('no bundle');
      return cer;
    };
    const steps = [await step(), await step()];
    const project = buildProject(
      { projectBundleId: randomUUID(), projectTitle: 'A journey', projectGoal: 'To see everything.' },
      steps.map((bundle, index) => ({ stepId: `step-${index}`, bundle })),
    );
    const registered = await visit('POST /v1/project-bundle/register', { key, body: project });
    const hash = textAt(registered.body, 'projectHash');
    await visit('POST /v1/project-bundle/register', { key, body: { ...project, projectTitle: 'Another' } });
    await visit('POST /v1/project-bundle/register', { key, body: [] });
    const local = buildProject({}, [{ stepId: 'local', bundle: sealedElsewhere({ snapshot: {} }) }]);
    await visit('POST /v1/project-bundle/register', { key, body: local });
    await visit('POST /v1/project-bundle/verify', { body: { bundle: project } });
    await visit('POST /v1/project-bundle/verify', { body: { bundle: { ...project, projectTitle: 'Another' } } });
    await visit('POST /v1/project-bundle/verify', { body: {} });
    await visit('GET /v1/project-bundle/public', { query: `?project_hash=${hash}` });
    const [first] = steps;
    await visit('POST /v1/admin/records/:hash/hide', admin(), textAt(first, 'certificateHash'));
    await visit('GET /v1/project-bundle/public', { query: `?project_hash=${hash}` });
    await visit('GET /v1/project-bundle/public', { query: `?project_hash=${UNKNOWN}` });
    for (const act of ['hide', 'unhide', 'hold', 'release', 'delete', 'hide']) {
      await visit(`POST /v1/admin/projects/:hash/${act}`, admin(), hash);
    }
  }

  async function rendering(): Promise<void> {
    const code = 'function setup() {}';
    const wantsJson = { Accept: 'application/json' };
    for (const route of ['POST /api/render', 'POST /render']) {
      await visit(route, { key, body: { code, seed: 's', VAR: [1] }, headers: wantsJson });
      await visit(route, { key, body: { code, seed: 's', VAR: [] } });
      await visit(route, { key, body: {} });
    }
    const still = { code, seed: 's', vars: [] };
    await visit('POST /verify', { key, body: { snapshot: still } });
    await visit('POST /verify', { key, body: { snapshot: still, expectedHash: UNKNOWN } });
    const loop = { ...still, code: `${code} function draw() {}`, execution: { mode: 'loop', totalFrames: 2, fps: 30 } };
    await visit('POST /verify', { key, body: { snapshot: loop } });
    await visit('POST /verify', { key, body: { snapshot: { ...still, execution: { mode: 'loop' } } } });
    await visit('POST /verify', { key, body: {} });
  }

  async function theNode(): Promise<void> {
    const paths = ['.well-known/svc-node.json', '.well-known/svc-key-history.json', '', 'version', 'health', 'ready'];
    for (const path of [...paths, 'metrics', 'openapi.json', 'docs']) await visit(`GET /${path}`);
  }

  async function administration(): Promise<void> {
    const certified = await visit('POST /v1/cer/ai/certify', { key, body: execution() });
    const hash = textAt(certified.body, 'certificateHash');
    for (const act of ['hide', 'unhide', 'hold', 'delete', 'release', 'delete', 'hide', 'hold', 'release']) {
      await visit(`POST /v1/admin/records/:hash/${act}`, admin(), hash);
    }
    await visit('POST /v1/admin/records/:hash/hide', admin({ tenant: 1 }), hash);
    const tenantId = (await node.store.tenants.createTenant('of the journey')).tenantId;
    await visit('GET /v1/admin/tenants/:tenant/settings', admin(), tenantId);
    await visit(
      'POST /v1/admin/tenants/:tenant/settings',
      admin({ retentionDays: 30, visibility: 'hidden' }),
      tenantId,
    );
    await visit('POST /v1/admin/tenants/:tenant/settings', admin({ retentionDays: -1 }), tenantId);
    await visit('GET /v1/admin/tenants/:tenant/settings', admin(), 'nobody');
    const batch = 'POST /v1/admin/recertify-batch';
    await visit(batch, admin({ certificateHashes: [UNKNOWN, hash], dryRun: true }));
    await visit(batch, admin({ filter: { attestedBefore: '2100-01-01T00:00:00Z' } }));
    await visit(batch, admin({}));
    const { body } = await visit('GET /.well-known/svc-node.json');
    await visit('POST /v1/admin/keys/:kid/revoke', admin({ reason: 'superseded' }), textAt(body, 'activeKid'));
    await visit('POST /v1/admin/keys/:kid/revoke', admin({ reason: 'superseded' }), textAt(body, 'activeKid'));
    await visit('POST /v1/admin/keys/:kid/revoke', admin({ reason: 'superseded' }), 'unknown');
    await visit('POST /v1/admin/keys/rotate', admin({ immediate: true }));
    await visit('POST /v1/admin/keys/rotate', admin({ immediate: true }));
    await visit('GET /.well-known/svc-node.json');
    const history = await visit('GET /.well-known/svc-key-history.json');
    await visit('POST /v1/admin/key-history', admin(history.body));
    await visit('POST /v1/admin/key-history', admin(await signedAgain(history.body, root)));
    await visit('POST /v1/admin/key-history', admin({}));
    await visit('GET /v1/admin/audit', { ...admin(), query: '?limit=2' });
    await visit('GET /v1/admin/audit', { ...admin(), query: '?limit=2&format=ndjson' });
    await visit('GET /v1/admin/audit', { ...admin(), query: '?limit=2&format=otlp' });
    await visit('GET /v1/admin/audit', { ...admin(), query: '?limit=none' });
    await visit('GET /v1/admin/audit');
    const deliveryId = await waitingDelivery(node.store);
    await visit('GET /v1/admin/alerts/deliveries', admin());
    await visit('GET /v1/admin/alerts/deliveries', { ...admin(), query: '?limit=none' });
    await visit('POST /v1/admin/alerts/deliveries/:id/send', admin({}), deliveryId);
    await visit('POST /v1/admin/alerts/deliveries/:id/send', admin({}), 'msg_unknown');
    await visit('POST /v1/admin/alerts/deliveries/:id/send');
  }
}

/** The next statement over the same history, signed by an offline root. */
export async function signedAgain(document: unknown, root: Signer): Promise<unknown> {
  const history = parseKeyHistory(document);
  const issuedAt = history.statement?.issuedAt ?? '';
  const statement = makeKeySetStatement(history, {
    version: (history.statement?.version ?? 0) + 1,
    issuedAt,
    nextUpdate: new Date(Date.parse(issuedAt) + 86_400_000).toISOString(),
  });
  return { ...history, statement, signatures: [await signKeySetStatement(statement, root)] };
}

const V2: JsonObject = {
  bundleType: 'cer.ai.execution.v2',
  protocolVersion: '1.3.0',
  executionRole: 'advisory',
};
