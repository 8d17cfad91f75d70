// Journeys of a node or a bridge that asks a control plane, which `serve-control-plane` started.
import { createHash, randomUUID } from 'node:crypto';

const INTROSPECT = '/internal/v1/keys/introspect';
const hashOf = (key) => createHash('sha256').update(key).digest('hex');

/** Requests of a service. */
const asking = ({ serviceToken }) => ({ authorization: `Bearer ${serviceToken}` });
const introspect = (api, key) => api.post(INTROSPECT, { keyHash: hashOf(key) }, asking(api));
const use = (api, reportId, tenantId, count) =>
  api.post('/internal/v1/usage', { reportId, items: [{ tenantId, kind: 'certify', count }] }, asking(api));

/** [id, heading, rule, journey]; a journey returns what was seen and what must have been: {name: [seen, expected]} */
const JOURNEYS = [
  [
    'jwks',
    'Control plane',
    'The published keys sign with ES256, and have no private part.',
    async (api) => {
      const { status, body } = await api.get('/.well-known/jwks.json');
      const kinds = new Set(body.keys.map(({ use: purpose, alg }) => `${purpose} ${alg}`));
      return {
        status: [status, 200],
        kinds: [[...kinds].join(), 'sig ES256'],
        secret: [body.keys.some((key) => 'd' in key), false],
      };
    },
  ],
  [
    'key',
    'Introspection',
    'A key is found by its hash, with its account.',
    async (api) => {
      const { status, body } = await introspect(api, api.apiKey);
      const members = ['accountStatus', 'active', 'entitlements', 'keyId', 'limits', 'plan', 'scopes', 'settings'];
      return {
        status: [status, 200],
        members: [Object.keys(body).toSorted().join(), [...members, 'tenantId', 'tenantName'].join()],
        active: [body.active, true],
        tenantName: [body.tenantName, api.tenantName],
        accountStatus: [body.accountStatus, 'active'],
        bridge: [typeof body.entitlements.bridge, 'boolean'],
        settings: [
          Object.keys(body.settings).toSorted().join(),
          'legalHold,minimumProtocol,publish,retentionDays,visibility',
        ],
      };
    },
  ],
  [
    'key_scopes',
    'Introspection',
    'A key has the scopes that it was given.',
    async (api) => ({ scopes: [(await introspect(api, api.renderOnlyKey)).body.scopes.join(), 'render'] }),
  ],
  [
    'key_unknown_fail',
    'Introspection',
    'An unknown key is not active, and nothing else is said.',
    async (api) => {
      const { status, text } = await introspect(api, `cer_live_${'A'.repeat(43)}`);
      return { status: [status, 200], text: [text, '{"active":false}'] };
    },
  ],
  [
    'key_itself_fail',
    'Introspection',
    'The body has the hash of a key, never the key.',
    async (api) => ({ status: [(await api.post(INTROSPECT, { key: api.apiKey }, asking(api))).status, 400] }),
  ],
  [
    'session_unknown_fail',
    'Introspection',
    'A session of no user is not active.',
    async (api) => {
      const { tenantId } = (await introspect(api, api.apiKey)).body;
      const asked = { tenantId, sub: randomUUID() };
      const { status, text } = await api.post('/internal/v1/sessions/introspect', asked, asking(api));
      return { status: [status, 200], text: [text, '{"active":false}'] };
    },
  ],
  [
    'credential_fail',
    'Control plane',
    'Only services ask: not without a credential, and not with an API key.',
    async (api) => {
      const seen = {};
      for (const path of [INTROSPECT, '/internal/v1/sessions/introspect', '/internal/v1/usage']) {
        for (const [name, key] of Object.entries({ none: '', key: api.apiKey, wrong: `${api.serviceToken}x` })) {
          const { status } = await api.post(path, {}, { authorization: `Bearer ${key}` });
          seen[`${name} ${path}`] = [status, 401];
        }
      }
      return seen;
    },
  ],
  [
    'usage_once',
    'Control plane',
    'A report that is sent again counts once.',
    async (api) => {
      const { tenantId } = (await introspect(api, api.apiKey)).body;
      const reportId = randomUUID();
      const [first, again] = [await use(api, reportId, tenantId, 2), await use(api, reportId, tenantId, 2)];
      return {
        statuses: [`${first.status} ${again.status}`, '200 200'],
        first: [first.body.replayed ?? false, false],
        again: [again.body.replayed, true],
      };
    },
  ],
  [
    'usage_fail',
    'Control plane',
    'A count is not negative.',
    async (api) => {
      const { tenantId } = (await introspect(api, api.apiKey)).body;
      return { status: [(await use(api, randomUUID(), tenantId, -1)).status, 400] };
    },
  ],
  [
    'shared_fail',
    'Control plane',
    'A token that no link has is 404.',
    async (api) => ({ status: [(await api.get(`/shared/${'A'.repeat(43)}`)).status, 404] }),
  ],
  [
    'operator',
    'Control plane',
    'Operators read the acts of all accounts, no service does.',
    async (api) => {
      const read = (token) => api.get('/v1/operator/activity', { authorization: `Bearer ${token}` });
      return {
        service: [(await read(api.serviceToken)).status, 401],
        key: [(await read(api.apiKey)).status, 401],
        operator: [(await read(api.operatorToken)).status, 200],
      };
    },
  ],
];

export function controlPlaneCases() {
  return JOURNEYS.map(([id, heading, rule, journey]) => ({
    id: `control-plane/${id}`,
    heading,
    rule,
    command: 'serve-control-plane',
    journey,
  }));
}
