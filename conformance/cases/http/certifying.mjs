// Journeys that certify.
import { gzipSync } from 'node:zlib';
import { canonical, commitmentTo } from '../../canonical.mjs';
import { CERTIFY, CONFIDENTIAL, UNKNOWN, execution } from './journey.mjs';

/** [id, heading, rule, journey]; a journey returns what was seen and what must have been: {name: [seen, expected]} */
export const CERTIFYING = [
  [
    'certify',
    'Certify response',
    'Certify answers the bundle, receipt and envelope.',
    async (api) => {
      const { status, body, headers } = await api.certify(execution());
      return {
        status: [status, 200],
        ok: [body.ok, true],
        header: [headers['x-certificate-hash'], body.certificateHash],
        receipt: [body.receipt.certificateHash, body.certificateHash],
        equal: [body.signature, body.signatureB64Url],
        url: [body.verificationUrl.endsWith(`/c/${encodeURIComponent(body.certificateHash)}`), true],
      };
    },
  ],
  [
    'replay',
    'Idempotency',
    'The same content replays the original answer byte for byte.',
    async (api) => {
      const request = execution();
      const [first, second] = [await api.certify(request), await api.certify(request)];
      return {
        same: [second.text, first.text],
        header: [second.headers['x-idempotent-replay'], 'true'],
        first: [first.headers['x-idempotent-replay'], undefined],
      };
    },
  ],
  [
    'mutation_fail',
    'Idempotency',
    'Other content under the same executionId is refused.',
    async (api) => {
      const request = execution();
      await api.certify(request);
      const { status, body } = await api.certify({ ...request, output: 'other' });
      return { status: [status, 409], error: [body.error, 'EXECUTION_MUTATION_DETECTED'] };
    },
  ],
  [
    'metadata',
    'Hash scope',
    'metadata is echoed in meta and not hashed.',
    async (api) => {
      const request = execution();
      const [first, second] = [
        await api.certify(request),
        await api.certify({ ...request, metadata: { note: 'kept' } }),
      ];
      const fresh = await api.certify(execution({ metadata: { note: 'kept' } }));
      return {
        replay: [second.status, 200],
        hash: [second.body.certificateHash, first.body.certificateHash],
        echoed: [fresh.body.cer.meta.metadata?.note, 'kept'],
      };
    },
  ],
  [
    'same-content',
    'Records',
    'Two tenants hold the same content, each with its own attestation.',
    async (api) => {
      const request = execution();
      const [first, second] = [await api.certify(request), await api.certify(request, api.otherTenantKey)];
      const shown = await api.get(`/v1/cer/public?certificate_hash=${first.body.certificateHash}`);
      return {
        hash: [second.body.certificateHash, first.body.certificateHash],
        own: [second.body.attestationId === first.body.attestationId, false],
        earliest: [shown.body.attestation.attestationId, first.body.attestationId],
      };
    },
  ],
  [
    'race',
    'Idempotency',
    'Of concurrent first requests exactly one makes the certificate.',
    async (api) => {
      const request = execution();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_none, index) => api.certify({ ...request, output: `${index % 2}` })),
      );
      const won = answers.filter(({ status }) => status === 200);
      return {
        bodies: [new Set(won.map(({ text }) => text)).size, 1],
        refused: [answers.filter(({ status }) => status === 409).length, 6],
        fresh: [won.filter(({ headers }) => headers['x-idempotent-replay'] === undefined).length, 1],
      };
    },
  ],
  [
    'tenants',
    'Idempotency',
    'No tenant takes the ids of another.',
    async (api) => {
      const request = execution();
      await api.certify(request);
      const { status } = await api.certify({ ...request, output: 'other' }, api.otherTenantKey);
      return { status: [status, 200] };
    },
  ],
  [
    'null-is-absent',
    'Null in requests',
    'A null member replays the request without it.',
    async (api) => {
      const request = execution();
      const [first, second] = [
        await api.certify(request),
        await api.certify({ ...request, appId: null, context: null }),
      ];
      return { same: [second.text, first.text] };
    },
  ],
  [
    'confidential',
    'Commitments',
    'A salt that certify returns opens its value and no other.',
    async (api) => {
      const { status, body } = await api.certify(execution({ ...CONFIDENTIAL, input: { a: 1 } }));
      const salt = Buffer.from(body.openings.input.salt, 'base64url');
      return {
        status: [status, 200],
        bytes: [salt.length, 32],
        opens: [canonical(body.cer.snapshot.input), canonical(commitmentTo({ a: 1 }, salt))],
        different: [body.openings.input.salt === body.openings.output.salt, false],
        raw: [JSON.stringify(body.cer).includes('"out"'), false],
      };
    },
  ],
  [
    'create',
    'POST /v1/cer/ai/create',
    'Create signs and stores nothing.',
    async (api) => {
      const { status, body } = await api.post('/v1/cer/ai/create', execution());
      const looked = await api.get(`/v1/cer/public?certificate_hash=${body.certificateHash}`);
      return {
        status: [status, 200],
        meta: [body.meta, undefined],
        receipt: [body.receipt, undefined],
        looked: [looked.status, 404],
      };
    },
  ],
  [
    'batch',
    'POST /v1/cer/ai/certify-batch',
    'A broken line is refused alone, in order.',
    async (api) => {
      const lines = [JSON.stringify(execution()), '{', JSON.stringify(execution())].join('\n');
      const { status, text } = await api.post('/v1/cer/ai/certify-batch', lines, {
        'content-type': 'application/x-ndjson',
      });
      const answers = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return {
        status: [status, 200],
        order: [answers.map(({ index }) => index).join(), '0,1,2'],
        statuses: [answers.map((line) => line.status).join(), '200,400,200'],
      };
    },
  ],
  [
    'attest',
    'POST /api/attest',
    'Attest signs the hash that was submitted.',
    async (api) => {
      const { body: bundle } = await api.post('/v1/cer/ai/create', execution());
      const { status, body } = await api.post('/api/attest', bundle);
      return {
        status: [status, 200],
        hash: [body.certificateHash, bundle.certificateHash],
        signed: [body.receipt.certificateHash, bundle.certificateHash],
      };
    },
  ],
  [
    'attest-other-hash_fail',
    'POST /api/attest',
    'A hash that does not match its content is INVALID_BUNDLE.',
    async (api) => {
      const { body: bundle } = await api.post('/v1/cer/ai/create', execution());
      const { status, body } = await api.post('/api/attest', { ...bundle, certificateHash: UNKNOWN });
      return {
        status: [status, 400],
        error: [body.error, 'INVALID_BUNDLE'],
        field: [body.mismatches[0].field, 'certificateHash'],
      };
    },
  ],
  [
    'attest-type_fail',
    'POST /api/attest',
    'Another type is 400.',
    async (api) => {
      const { status, body } = await api.post('/api/attest', { bundleType: 'other', certificateHash: UNKNOWN });
      return { status: [status, 400], error: [body.error, 'VALIDATION_ERROR'] };
    },
  ],
  [
    'envelope',
    'Verification envelope',
    'The envelope has exactly its members.',
    async (api) => {
      const { verificationEnvelope: envelope, attestationId } = (await api.certify(execution())).body;
      return {
        type: [envelope.envelopeType, 'svc.verification.envelope.v2'],
        version: [envelope.specVersion, '0.16.1'],
        scope: [envelope.scope, 'whitelist'],
        five: [
          Object.keys(envelope.attestation).sort().join(),
          'attestationId,attestedAt,kid,nodeRuntimeHash,protocolVersion',
        ],
        id: [envelope.attestation.attestationId, attestationId],
      };
    },
  ],
  [
    'signature',
    'Receipt',
    'The receipt verifies under the published key, without this service.',
    async (api) => {
      const { body: made } = await api.certify(execution());
      const { body: set } = await api.get('/.well-known/svc-node.json');
      const { createPublicKey, verify } = await import('node:crypto');
      const key = createPublicKey({ key: set.keys.find(({ kid }) => kid === made.kid).publicKeyJwk, format: 'jwk' });
      const signed = (text, signature) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
      const { bundleType, version, createdAt, snapshot } = made.cer;
      const envelope = canonical({
        attestation: made.verificationEnvelope.attestation,
        bundle: { bundleType, version, createdAt, snapshot },
      });
      return {
        receipt: [signed(canonical(made.receipt), made.signature), true],
        members: [Object.keys(made.receipt).sort().join(), 'certificateHash,kid,nodeId,timestamp'],
        envelope: [signed(envelope, made.verificationEnvelopeSignature), true],
      };
    },
  ],
  [
    'gzip',
    'Limits',
    'A gzip body is taken on every route with a body.',
    async (api) => ({
      status: [
        (await api.postText(CERTIFY, gzipSync(JSON.stringify(execution())), { 'content-encoding': 'gzip' })).status,
        200,
      ],
    }),
  ],
];
