import { randomUUID } from 'node:crypto';

import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { executionRequest } from '@cer/cer-core/testing';

import { waitingDelivery } from '../alerts/waiting-delivery.js';
import { ask, objectAt, textAt, type Question } from '../ask.js';
import { signedAgain } from '../openapi/journey.js';
import { until } from '../timestamps/timestamping-node.js';
import type { WholeNode } from '../whole-node.js';
import type { Caller, Resources } from './caller-table.js';

/** Text in the hidden record; no answer to another caller contains it. */
export const CANARY = 'canary-in-the-hidden-record';

interface Tenant {
  readonly tenantId: string;
  readonly key: string;
}

/** A tenant with a public and a hidden record, a project, and the other resources of admin routes. */
export async function makeResources(whole: WholeNode, { tenantId, key }: Tenant): Promise<Resources> {
  const { node, adminSecret } = whole;
  const admin = { 'X-Admin-Secret': adminSecret };
  const certified = async (members: JsonObject): Promise<{ hash: string; cer: JsonObject }> => {
    const body = executionRequest({ executionId: randomUUID(), ...members });
    const answer = await ask(node, 'post', '/v1/cer/ai/certify', { key, body });
    const cer = objectAt(answer.body, 'cer');
    if (!isJsonObject(cer)) throw new Error('no certificate');
    return { hash: textAt(answer.body, 'certificateHash'), cer };
  };
  const hiddenId = `hidden-${randomUUID()}`;
  const publicId = `public-${randomUUID()}`;
  const open = await certified({ executionId: publicId });
  const hidden = await certified({ executionId: hiddenId, metadata: { note: CANARY } });
  const project = buildProject({ projectBundleId: randomUUID() }, [{ stepId: 'one', bundle: open.cer }]);
  const registered = await ask(node, 'post', '/v1/project-bundle/register', { key, body: project });
  await ask(node, 'post', `/v1/admin/records/${hidden.hash}/hide`, { headers: admin });
  const proof = { key, headers: { accept: 'application/json' } };
  for (const { hash } of [open, hidden]) {
    await until(
      () => ask(node, 'get', `/v1/log/proof?certificate_hash=${encodeURIComponent(hash)}`, proof),
      ({ status }) => status === 200,
    );
  }
  await until(
    () => ask(node, 'get', '/v1/log/completeness', { key }),
    ({ status }) => status === 200,
  );
  const deliveryId = await waitingDelivery(node.store);
  const webhook = await ask(node, 'post', '/v1/webhooks', { key, body: { url: 'https://hooks.example.com/in' } });
  const webhookId = textAt(objectAt(webhook.body, 'webhook'), 'id');
  const message = await ask(node, 'post', `/v1/webhooks/${webhookId}/test`, { key, body: {} });
  const keySet = await ask(node, 'get', '/.well-known/svc-node.json');
  const history = await ask(node, 'get', '/.well-known/svc-key-history.json');
  return {
    publicHash: open.hash,
    publicId,
    hiddenHash: hidden.hash,
    hiddenId,
    certificate: open.cer,
    project,
    projectHash: textAt(registered.body, 'projectHash'),
    tenantId,
    kid: textAt(keySet.body, 'activeKid'),
    deliveryId,
    webhookId,
    messageId: textAt(message.body, 'deliveryId'),
    keyHistory: await signedAgain(history.body, whole.root),
  };
}

/** What each caller sends to identify itself. */
export async function makeCallers(
  { node, adminSecret }: WholeNode,
  owner: { readonly name: string; readonly key: string },
): Promise<Readonly<Record<Caller, Pick<Question, 'key' | 'headers'>>>> {
  const otherKey = await node.newKey();
  const name = randomUUID();
  const revoked = await node.newKey(name);
  const { tenantId } = await node.store.tenants.createTenant(name);
  const [known] = await node.store.tenants.listApiKeys(tenantId);
  await node.store.tenants.revokeApiKey(known?.keyId ?? '');
  const claims = [
    { alg: 'none', typ: 'handoff+jwt' },
    { sub: 'someone', tenant_id: owner.name },
  ];
  const jwt = claims.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return {
    anonymous: {},
    'malformed key': { key: 'cer_live_short' },
    'unknown key': { key: `cer_live_${'A'.repeat(43)}` },
    'revoked key': { key: revoked },
    'service token': { key: 'service-token-of-the-tests' },
    'handoff token': { key: `${jwt}.` },
    'session cookie': { headers: { Cookie: `__Host-dashboard_session=${'A'.repeat(43)}` } },
    'wrong admin secret': { headers: { 'X-Admin-Secret': `${adminSecret}x` } },
    'key of another tenant': { key: otherKey },
    'audit key': { key: await node.newKey(owner.name, ['audit']) },
    'review key': { key: await node.newKey(owner.name, ['review']) },
    owner: { key: owner.key },
    admin: { headers: { 'X-Admin-Secret': adminSecret } },
  };
}
