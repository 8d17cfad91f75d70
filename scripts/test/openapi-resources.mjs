// Resources of the system that Schemathesis tests: requests that succeed, by method and path of the descriptions.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildProject } from '@cer/cer-core/seal';

const SKETCH = 'function setup() { background(20, 40, 80); }';
const EXECUTION = { provider: 'p', model: 'm', input: 'i', output: 'o' };
/** `{new}` is another id in each request. */
const NEW_EXECUTION = { executionId: '{new}', ...EXECUTION };

async function post(url, headers, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** @returns requests of the node that succeed: certificates, projects and webhooks are made, some of them to be removed */
export async function realOfNode({ node, dashboard, apiKey }, folder) {
  const key = { authorization: `Bearer ${apiKey}` };
  const ask = (path, body) => post(`${node.url}${path}`, key, body);
  const certify = () => ask('/v1/cer/ai/certify', { executionId: randomUUID(), ...EXECUTION });
  const register = async () => {
    const { cer } = await certify();
    const project = buildProject({ projectBundleId: randomUUID() }, [{ stepId: 'one', bundle: cer }]);
    const { projectHash } = await ask('/v1/project-bundle/register', project);
    return { project, projectHash };
  };
  const [{ cer, certificateHash: hash }, { certificateHash: other }] = [await certify(), await certify()];
  const [{ project, projectHash }, { projectHash: otherProject }] = [await register(), await register()];
  const sealed = await ask('/v1/cer/ai/create', { executionId: randomUUID(), ...EXECUTION });
  const webhook = async () => (await ask('/v1/webhooks', { url: 'https://hooks.example.com/in' })).webhook.id;
  const [id, removed] = [await webhook(), await webhook()];
  const { deliveryId } = await ask(`/v1/webhooks/${id}/test`, {});
  const serviceToken = readFileSync(join(folder, 'control-plane-token'), 'utf8').trim();
  const keyHash = createHash('sha256').update(apiKey).digest('hex');
  const { tenantId } = await post(
    `${dashboard.url}/internal/v1/keys/introspect`,
    { authorization: `Bearer ${serviceToken}` },
    { keyHash },
  );
  const acts = ['hide', 'unhide', 'hold', 'release'];
  const admin = (kind, own, gone) => [
    ...acts.map((act) => [`POST /v1/admin/${kind}/{hash}/${act}`, { path: { hash: own }, body: {} }]),
    [`POST /v1/admin/${kind}/{hash}/delete`, { path: { hash: gone }, body: {} }],
  ];
  const keySet = await (await fetch(`${node.url}/.well-known/svc-node.json`)).json();
  const byHash = { query: { certificate_hash: hash } };
  return {
    'POST /v1/cer/ai/certify': { body: NEW_EXECUTION },
    'POST /v1/cer/ai/certify-batch': { body: NEW_EXECUTION },
    'POST /v1/cer/ai/create': { body: NEW_EXECUTION },
    'POST /api/attest': { body: sealed },
    'POST /api/attest-batch': { body: sealed },
    'POST /v1/cer/verify': { body: { bundle: cer } },
    'GET /v1/cer/public': byHash,
    'GET /api/public-cer-proof': byHash,
    'GET /v1/records/certificate': byHash,
    'GET /v1/log/proof': byHash,
    'GET /v1/resolve/cer/{hash}': { path: { hash } },
    'POST /v1/project-bundle/register': { body: project },
    'POST /v1/project-bundle/verify': { body: { bundle: project } },
    'GET /v1/project-bundle/public': { query: { project_hash: projectHash } },
    'POST /v1/webhooks': { body: { url: 'https://hooks.example.com/another' } },
    'POST /v1/webhooks/{id}/rotate': { path: { id }, body: {} },
    'POST /v1/webhooks/{id}/remove': { path: { id: removed }, body: {} },
    'POST /v1/webhooks/{id}/test': { path: { id }, body: {} },
    'GET /v1/webhooks/{id}/deliveries': { path: { id } },
    'POST /v1/webhooks/{id}/deliveries/{delivery}/send': { path: { id, delivery: deliveryId }, body: {} },
    'POST /api/render': { body: { code: SKETCH, seed: 's', VAR: [] } },
    'POST /verify': { body: { snapshot: { code: SKETCH, seed: 's', vars: [] } } },
    'GET /log/tile/{path}': { path: { path: '0/000.p/1' } },
    'GET /log/epochs/tile/{path}': { path: { path: '0/000.p/1' } },
    ...Object.fromEntries([...admin('records', hash, other), ...admin('projects', projectHash, otherProject)]),
    'GET /v1/admin/tenants/{tenant}/settings': { path: { tenant: tenantId } },
    'POST /v1/admin/tenants/{tenant}/settings': { path: { tenant: tenantId }, body: { retentionDays: 30 } },
    'POST /v1/admin/recertify-batch': { body: { certificateHashes: [hash], dryRun: true } },
    'POST /v1/admin/keys/rotate': { body: { immediate: true } },
    'POST /v1/admin/keys/{kid}/revoke': { path: { kid: keySet.activeKid }, body: { reason: 'tested' } },
  };
}

export const REAL_OF_BRIDGE = {
  'POST /api/v1/ingest/executions': { body: { executions: [EXECUTION] } },
  'POST /v1/traces': { body: { resourceSpans: [] } },
};

/** Forms of the dashboard; its front puts real ids into paths. */
export const realOfDashboard = ({ owner, apiKey }) => ({
  'POST /sign-in': { body: owner },
  'POST /keys': { body: { name: 'tested', scopes: 'certify' } },
  'POST /keys/{keyId}/rotate': { body: { grace_hours: '0' } },
  'POST /alerts': { body: { url: 'https://hooks.example.com/in', types: 'quota.reached' } },
  'POST /alerts/{webhookId}/rotate': { body: { grace_hours: '0' } },
  'POST /shares': { body: { kind: 'set', target: '', days: '7' } },
  'POST /users': { body: { name: 'Tested', email: '{new}@example.org', role: 'member' } },
  'POST /internal/v1/keys/introspect': { body: { keyHash: createHash('sha256').update(apiKey).digest('hex') } },
  'POST /internal/v1/usage': {
    body: { reportId: '{new}', items: [{ tenantId: 'none', kind: 'certify', count: 1 }] },
  },
});
