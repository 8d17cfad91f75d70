import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { ok, parseJsonBody, type Route } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { certify, create } from './certify.js';
import { certifyBatch, type CertifyBatchDeps } from './certify-batch.js';
import { certificateHeaders } from '../records/response-headers.js';

export interface CertifyRouteDeps extends CertifyBatchDeps {
  readonly gate: Gate;
  readonly bodyLimitBytes: number;
  readonly batchLimitBytes: number;
}

export function certifyRoutes(deps: CertifyRouteDeps): Route[] {
  const { gate, bodyLimitBytes, batchLimitBytes } = deps;
  const admit = gate.admit('certify');
  const mediaTypes = ['application/json'];
  return [
    {
      method: 'POST',
      path: '/v1/cer/ai/certify',
      admit,
      mediaTypes,
      bodyLimitBytes,
      handler: async (request) => {
        const body = parseJsonBody(request, { maxDepth: REQUEST_DEPTH });
        const certified = await certify(deps, body, gate.callerOf(request), request.requestId);
        return ok(certified.body, certificateHeaders(certified.certificateHash, certified.isReplay));
      },
    },
    {
      method: 'POST',
      path: '/v1/cer/ai/create',
      admit,
      mediaTypes,
      bodyLimitBytes,
      handler: async (request) =>
        ok(create(deps, parseJsonBody(request, { maxDepth: REQUEST_DEPTH }), gate.callerOf(request))),
    },
    {
      method: 'POST',
      path: '/v1/cer/ai/certify-batch',
      admit,
      mediaTypes: ['application/x-ndjson'],
      bodyLimitBytes: batchLimitBytes,
      body: 'stream',
      handler: async (request) => ({
        status: 200,
        headers: { 'content-type': 'application/x-ndjson' },
        body: certifyBatch(deps, request.body, gate.callerOf(request)),
      }),
    },
  ];
}
