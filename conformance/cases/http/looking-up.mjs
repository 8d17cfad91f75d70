// Journeys that look up and verify.
import { canonical, sha256 } from '../../canonical.mjs';
import { CERTIFY, CONFIDENTIAL, UNKNOWN, execution } from './journey.mjs';

/** [id, heading, rule, journey]; a journey returns what was seen and what must have been: {name: [seen, expected]} */
export const LOOKING_UP = [
  [
    'lookup',
    'GET /v1/cer/public',
    'canonicalPayload hashes to the certificateHash.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const { status, body } = await api.get(`/v1/cer/public?certificate_hash=${made.certificateHash}`);
      return {
        status: [status, 200],
        hash: [sha256(body.canonical.certificate.canonicalPayload), made.certificateHash],
        receipt: [body.canonical.receipt.canonicalPayload, canonical(made.receipt)],
        cors: [
          (await api.get(`/v1/cer/public?certificate_hash=${made.certificateHash}`)).headers[
            'access-control-allow-origin'
          ],
          '*',
        ],
      };
    },
  ],
  [
    'lookup-unknown_fail',
    'GET /v1/cer/public',
    'An unknown record is 404 RECORD_NOT_FOUND.',
    async (api) => {
      const { status, body } = await api.get(`/v1/cer/public?certificate_hash=${UNKNOWN}`);
      return { status: [status, 404], error: [body.error, 'NOT_FOUND'], reason: [body.reasonCode, 'RECORD_NOT_FOUND'] };
    },
  ],
  [
    'lookup-malformed_fail',
    'GET /v1/cer/public',
    'A malformed hash is 400.',
    async (api) => ({
      upper: [(await api.get(`/v1/cer/public?certificate_hash=${UNKNOWN.toUpperCase()}`)).status, 400],
      none: [(await api.get('/v1/cer/public')).status, 400],
      both: [(await api.get(`/v1/cer/public?certificate_hash=${UNKNOWN}&execution_id=a`)).status, 400],
    }),
  ],
  [
    'label',
    'GET /v1/cer/public',
    'By executionId the answer says that it is a label.',
    async (api) => {
      const request = execution();
      await api.certify(request);
      const { status, body } = await api.get(`/v1/cer/public?execution_id=${request.executionId}`);
      return {
        status: [status, 200],
        by: [body.matchedBy, 'executionId'],
        others: [JSON.stringify(body.otherMatches), '[]'],
      };
    },
  ],
  [
    'proof',
    'GET /api/public-cer-proof',
    'The proof has hashes and no content.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const { status, body } = await api.get(`/api/public-cer-proof?certificate_hash=${made.certificateHash}`);
      return {
        status: [status, 200],
        cer: [body.cer, undefined],
        input: [body.inputHash, sha256('in')],
        certificate: [body.canonical.certificate, undefined],
      };
    },
  ],
  [
    'resolve',
    'GET /v1/resolve/cer/:hash',
    'A hash is redirected without a look at the records.',
    async (api) => {
      const { status, headers } = await api.get(`/v1/resolve/cer/${encodeURIComponent(UNKNOWN)}`);
      return {
        status: [status, 302],
        location: [headers.location, `/v1/cer/public?certificate_hash=${encodeURIComponent(UNKNOWN)}`],
        malformed: [(await api.get('/v1/resolve/cer/x')).status, 400],
      };
    },
  ],
  [
    'withheld-prompt',
    'Public form',
    'A prompt is withheld from the public form by default.',
    async (api) => {
      const { body: made } = await api.certify(execution({ ...CONFIDENTIAL, prompt: 'the private prompt' }));
      const { status, text, body } = await api.get(`/v1/cer/public?certificate_hash=${made.certificateHash}`);
      return {
        status: [status, 200],
        withheld: [text.includes('the private prompt'), false],
        reseal: [body.cer.bundleType, 'signed-redacted-reseal'],
        original: [body.certificateHash, made.certificateHash],
        resealed: [sha256(body.canonical.certificate.canonicalPayload), body.resealedCertificateHash],
      };
    },
  ],
  [
    'verify-route',
    'POST /v1/cer/verify',
    'The answer of a route verifies as it was saved.',
    async (api) => {
      const { text, body: made } = await api.certify(execution());
      const [saved, bare] = [
        await api.postText('/v1/cer/verify', text),
        await api.post('/v1/cer/verify', { bundle: made.cer }),
      ];
      return {
        saved: [saved.body.status, 'verified'],
        bare: [bare.body.status, 'verified'],
        hash: [bare.body.computedCertificateHash, made.certificateHash],
      };
    },
  ],
  [
    'verify-route-changed_fail',
    'POST /v1/cer/verify',
    'A changed bundle is 200 with status failed.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const { status, body } = await api.post('/v1/cer/verify', { ...made.cer, createdAt: '2026-01-02T03:04:05.679Z' });
      return {
        status: [status, 200],
        verdict: [body.status, 'failed'],
        code: [body.reasonCode, 'CERTIFICATE_HASH_MISMATCH'],
      };
    },
  ],
  [
    'verify-route-signature_fail',
    'POST /v1/cer/verify',
    'A failing signature is SIGNATURE_INVALID.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const other = (await api.certify(execution())).body;
      const { body } = await api.post('/v1/cer/verify', {
        ...made.cer,
        meta: { ...made.cer.meta, verificationEnvelopeSignature: other.verificationEnvelopeSignature },
      });
      return { verdict: [body.status, 'failed'], code: [body.reasonCode, 'SIGNATURE_INVALID'] };
    },
  ],
  [
    'verify-route-form_fail',
    'POST /v1/cer/verify',
    'A body that is not a certificate is 400.',
    async (api) => ({
      empty: [(await api.post('/v1/cer/verify', {})).status, 400],
      two: [(await api.post('/v1/cer/verify', { bundle: {}, cer: {} })).status, 400],
      list: [(await api.post('/v1/cer/verify', [])).status, 400],
    }),
  ],
  [
    'records',
    'GET /v1/records',
    'A tenant lists its own records only.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const own = await api.get('/v1/records?limit=1000', { authorization: `Bearer ${api.apiKey}` });
      const other = await api.get('/v1/records?limit=1000', { authorization: `Bearer ${api.otherTenantKey}` });
      return {
        own: [own.text.includes(made.certificateHash), true],
        other: [other.text.includes(made.certificateHash), false],
        none: [(await api.get('/v1/records')).status, 401],
      };
    },
  ],
  [
    'project',
    'Project bundle',
    'A project of unknown form is 400.',
    async (api) => ({
      register: [(await api.post('/v1/project-bundle/register', {})).status, 400],
      verify: [(await api.post('/v1/project-bundle/verify', {})).status, 400],
      public: [(await api.get(`/v1/project-bundle/public?project_hash=${UNKNOWN}`)).status, 404],
    }),
  ],
  [
    'key-set',
    'Node key set',
    'The key set names its active key.',
    async (api) => {
      const { status, body } = await api.get('/.well-known/svc-node.json');
      const active = body.keys.find(({ kid }) => kid === body.activeKid);
      return { status: [status, 200], algorithm: [active.algorithm, 'Ed25519'], state: [active.status, 'active'] };
    },
  ],
  [
    'key-history',
    'Key history',
    'The key history is published.',
    async (api) => ({ status: [(await api.get('/.well-known/svc-key-history.json')).status, 200] }),
  ],
  [
    'health',
    'Routes',
    'The unauthenticated status routes answer.',
    async (api) => ({
      root: [(await api.get('/')).status, 200],
      version: [(await api.get('/version')).status, 200],
      health: [(await api.get('/health')).status, 200],
      ready: [(await api.get('/ready')).status, 200],
      openapi: [(await api.get('/openapi.json')).body.openapi?.slice(0, 2), '3.'],
    }),
  ],
  [
    'log-off_fail',
    'Transparency log',
    'A node without a log has none to show.',
    async (api) => ({ status: [(await api.get('/log/checkpoint')).status, 404] }),
  ],
  [
    'cors',
    'CORS and routing',
    'Keyless routes allow any origin, keyed routes none.',
    async (api) => ({
      keyless: [
        (await api.get('/.well-known/svc-node.json', { origin: 'https://a.example' })).headers[
          'access-control-allow-origin'
        ],
        '*',
      ],
      credentials: [
        (await api.get('/.well-known/svc-node.json', { origin: 'https://a.example' })).headers[
          'access-control-allow-credentials'
        ],
        undefined,
      ],
      keyed: [
        (await api.post(CERTIFY, execution(), { origin: 'https://a.example' })).headers['access-control-allow-origin'],
        undefined,
      ],
    }),
  ],
];
