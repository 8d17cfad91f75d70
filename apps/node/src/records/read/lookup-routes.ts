import { ok, pathParam, redirect, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { JsonObject } from '@cer/canonical-json';
import type { Gate } from '../../auth/authenticate.js';
import { recordNotFound } from '../../errors/refusals.js';
import type { NodeLog } from '../../log/node-log.js';
import { certificateHeaders } from '../response-headers.js';
import type { CertificateRecord, RecordStore } from '../../store/index.js';
import { withLogProofs } from '../with-log-proofs.js';
import { parseHash, parseHashQuery, parseLookupQuery } from './lookup-query.js';
import { publicProof, publicRecord } from './public-record.js';
import { COUNTED, type DescribedRoute } from '../../openapi/route-description.js';
import { TEXT } from '../../openapi/answer-shapes.js';
import { HASH_QUERY, PROOF_ANSWER, PUBLIC_ANSWER } from './lookup-answers.js';

export interface LookupDeps {
  readonly records: RecordStore;
  readonly verifyUrl: string;
  /** Null: no transparency log. */
  readonly log: Pick<NodeLog, 'proofs'> | null;
  readonly gate: Pick<Gate, 'optionalCaller' | 'admitPublic'>;
}

const MAX_OTHER_MATCHES = 20;

/** @see docs/spec.md, "GET /v1/cer/public" */
export function lookupRoutes(deps: LookupDeps): DescribedRoute[] {
  const { records, verifyUrl, log } = deps;
  const admit = deps.gate.admitPublic;
  return [
    {
      method: 'GET',
      path: '/v1/cer/public',
      description: {
        group: 'Verify and look up',
        summary: 'The public form of a certificate, by exactly one of hash and executionId',
        access: 'public',
        query: [
          HASH_QUERY,
          {
            name: 'execution_id',
            description: 'Also executionId. A label, not an identity; with a Bearer key only of its tenant.',
            schema: { ...TEXT, minLength: 1, maxLength: 256 },
          },
        ],
        success: { 200: { schema: PUBLIC_ANSWER, description: 'The public record.' } },
        errors: ['UNAUTHORIZED', 'NOT_FOUND', ...COUNTED],
      },
      admit,
      cors: 'public',
      handler: async (request) => {
        const query = parseLookupQuery(request.query);
        return query.by === 'certificateHash'
          ? byHash(records, query.certificateHash, (record) =>
              withLogProofs(publicRecord(record, verifyUrl), record, log),
            )
          : byExecutionId(deps, query.executionId, request);
      },
    },
    {
      method: 'GET',
      path: '/api/public-cer-proof',
      description: {
        group: 'Verify and look up',
        summary: 'The proof of a certificate without its bundle',
        access: 'public',
        query: [{ ...HASH_QUERY, required: true }],
        success: { 200: { schema: PROOF_ANSWER, description: 'The public proof.' } },
        errors: ['NOT_FOUND', ...COUNTED],
      },
      admit,
      cors: 'public',
      handler: async ({ query }) =>
        byHash(records, parseHashQuery(query, 'certificate_hash', 'certificateHash'), async (record) =>
          publicProof(record, verifyUrl),
        ),
    },
    {
      method: 'GET',
      path: '/v1/resolve/cer/:hash',
      description: {
        group: 'Verify and look up',
        summary: 'Go to the public form of a certificate',
        access: 'public',
        success: { 302: { description: 'To GET /v1/cer/public.', mediaTypes: [] } },
        errors: ['VALIDATION_ERROR', ...COUNTED],
      },
      admit,
      cors: 'public',
      // Without reading the records: the answer must not distinguish hidden from unknown.
      handler: async (request) => {
        const hash = parseHash(pathParam(request, 'hash'), 'hash');
        return redirect(`/v1/cer/public?certificate_hash=${encodeURIComponent(hash)}`);
      },
    },
  ];
}

async function byHash(
  records: RecordStore,
  certificateHash: string,
  present: (record: CertificateRecord) => Promise<JsonObject>,
): Promise<ServiceResponse> {
  const record = await records.findByHash(certificateHash);
  if (record === null) throw recordNotFound();
  return ok(await present(record), certificateHeaders(record.certificateHash));
}

/** An executionId is a label, not an identity: several certificates may carry it. */
async function byExecutionId(
  { records, verifyUrl, log, gate }: LookupDeps,
  executionId: string,
  head: RequestHead,
): Promise<ServiceResponse> {
  const caller = await gate.optionalCaller(head);
  const found = await records.findByExecutionId(executionId, {
    limit: MAX_OTHER_MATCHES + 1,
    ...(caller !== null && { tenantId: caller.tenantId }),
  });
  // For a hidden record its owner gets the same answer as any other caller.
  const [earliest, ...others] = found.filter(({ visibility }) => visibility === 'visible');
  if (earliest === undefined) throw recordNotFound();
  return ok(
    {
      ...(await withLogProofs(publicRecord(earliest, verifyUrl), earliest, log)),
      matchedBy: 'executionId',
      otherMatches: others.map(({ certificateHash }) => certificateHash),
    },
    certificateHeaders(earliest.certificateHash),
  );
}
