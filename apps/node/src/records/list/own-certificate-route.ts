import type { RequestHead, ServiceResponse } from '@cer/http-service';
import type { Gate } from '../../auth/authenticate.js';
import { recordNotFound } from '../../errors/refusals.js';
import { free } from '../../openapi/answer-shapes.js';
import type { DescribedRoute } from '../../openapi/route-description.js';
import type { RecordList, RecordStore } from '../../store/index.js';
import { HASH_QUERY } from '../read/lookup-answers.js';
import { parseHashQuery } from '../read/lookup-query.js';
import { storedCertificate } from '../stored-cer.js';

export interface OwnCertificateDeps {
  readonly recordList: Pick<RecordList, 'page'>;
  readonly records: Pick<RecordStore, 'findOwnByHash'>;
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
}

/** A certificate for its owner, also a hidden one. @see docs/spec.md, "GET /v1/records/certificate" */
export function ownCertificateRoute(deps: OwnCertificateDeps): DescribedRoute {
  return {
    method: 'GET',
    path: '/v1/records/certificate',
    description: {
      group: 'Records',
      summary: "One of the tenant's own certificates, also when it is hidden",
      access: { scopes: ['audit', 'certify'] },
      query: [{ ...HASH_QUERY, required: true }],
      success: {
        200: { schema: free('The certificate as audit packages carry it.'), description: 'The certificate.' },
      },
      errors: ['NOT_FOUND'],
    },
    admit: deps.gate.admit('audit', 'certify'),
    handler: (request) => ownCertificate(deps, request),
  };
}

async function ownCertificate(
  { recordList, records, gate }: OwnCertificateDeps,
  head: RequestHead,
): Promise<ServiceResponse> {
  const { tenantId } = gate.callerOf(head);
  const certificateHash = parseHashQuery(head.query, 'certificate_hash', 'certificateHash');
  const found = await recordList.page({ tenantId, certificateHash }, 'oldest', null, 2);
  // A full record before a hash-only one of the same hash.
  const listed = found.find(({ kind }) => kind === 'full') ?? found[0];
  const record =
    listed === undefined ? null : await records.findOwnByHash(tenantId, listed.certificateHash, listed.kind);
  if (record === null) throw recordNotFound();
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: storedCertificate(record),
  };
}
