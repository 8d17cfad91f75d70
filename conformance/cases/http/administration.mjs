// Journeys of an administrator.
import { execution } from './journey.mjs';

/** [id, heading, rule, journey]; a journey returns what was seen and what must have been: {name: [seen, expected]} */
export const ADMINISTRATION = [
  [
    'admin_fail',
    'Authentication',
    'Admin routes need the admin secret, not a key.',
    async (api) => ({
      none: [(await api.get('/v1/admin/audit')).status, 401],
      key: [(await api.get('/v1/admin/audit', { authorization: `Bearer ${api.apiKey}` })).status, 401],
      secret: [(await api.get('/v1/admin/audit', { 'x-admin-secret': api.adminSecret })).status, 200],
    }),
  ],
  [
    'hidden',
    'Admin routes',
    'A hidden record is 404 in public, and can be shown again.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const look = async () => (await api.get(`/v1/cer/public?certificate_hash=${made.certificateHash}`)).status;
      const act = (name) =>
        api.post(
          `/v1/admin/records/${encodeURIComponent(made.certificateHash)}/${name}`,
          {},
          { 'x-admin-secret': api.adminSecret },
        );
      const before = await look();
      await act('hide');
      const hidden = await look();
      await act('unhide');
      return { before: [before, 200], hidden: [hidden, 404], shown: [await look(), 200] };
    },
  ],
  [
    'deleted',
    'Idempotency',
    'A deleted record is not made again.',
    async (api) => {
      const request = execution();
      const { body: made } = await api.certify(request);
      const deleted = await api.post(
        `/v1/admin/records/${encodeURIComponent(made.certificateHash)}/delete`,
        {},
        { 'x-admin-secret': api.adminSecret },
      );
      const [same, other] = [await api.certify(request), await api.certify({ ...request, output: 'other' })];
      return {
        deleted: [deleted.status, 200],
        same: [`${same.status} ${same.body.error}`, '409 RECORD_REMOVED'],
        other: [`${other.status} ${other.body.error}`, '409 EXECUTION_MUTATION_DETECTED'],
      };
    },
  ],
  [
    'rotation',
    'Signing keys',
    'After a rotation new receipts name another key and old ones verify.',
    async (api) => {
      const { body: old } = await api.certify(execution());
      const rotated = await api.post('/v1/admin/keys/rotate', {}, { 'x-admin-secret': api.adminSecret });
      const { body: verdict } = await api.post('/v1/cer/verify', old.cer);
      const { body: set } = await api.get('/.well-known/svc-node.json');
      return {
        rotated: [rotated.status, 200],
        verdict: [verdict.status, 'verified'],
        published: [set.keys.length >= 2, true],
      };
    },
  ],
  [
    'legal-hold_fail',
    'Retention',
    'Records under a legal hold are not deleted.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const act = (name) =>
        api.post(
          `/v1/admin/records/${encodeURIComponent(made.certificateHash)}/${name}`,
          {},
          { 'x-admin-secret': api.adminSecret },
        );
      const held = await act('hold');
      const refused = await act('delete');
      await act('release');
      return {
        held: [held.status, 200],
        refused: [`${refused.status} ${refused.body.error}`, '409 LEGAL_HOLD'],
        deleted: [(await act('delete')).status, 200],
      };
    },
  ],
];
