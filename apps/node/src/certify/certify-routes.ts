import { REQUEST_DEPTH } from '@cer/cer-core/seal';
import { jsonText, ok, parseJsonBody, type RequestHead } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { countingRefusals } from '../coverage/counting-handler.js';
import { certify, create } from './certify.js';
import { assertInScope, assertInScopeUnread } from './review-scope.js';
import type { WorkTurns } from '../limits/work-turns.js';
import { certifyBatch, type CertifyBatchDeps } from './certify-batch.js';
import { largeResponse } from '../large-work/large-answer.js';
import { isLarge } from '../large-work/large-body.js';
import { certificateHeaders } from '../records/response-headers.js';
import { ATTESTING, type DescribedRoute } from '../openapi/route-description.js';
import { shape } from '../openapi/answer-shapes.js';
import { CERTIFIED } from '../records/certified-answer.js';
import { EXECUTION_REQUEST } from './execution-request.js';

export interface CertifyRouteDeps extends CertifyBatchDeps {
  readonly gate: Gate;
  readonly turns: Pick<WorkTurns, 'take' | 'takeFor'>;
  readonly bodyLimitBytes: number;
  readonly batchLimitBytes: number;
}

export function certifyRoutes(deps: CertifyRouteDeps): DescribedRoute[] {
  const { gate, bodyLimitBytes, batchLimitBytes } = deps;
  const admit = gate.admit('certify');
  const mediaTypes = ['application/json'];
  const holderOf = (head: RequestHead): string => gate.callerOf(head).tenantId;
  return [
    {
      method: 'POST',
      path: '/v1/cer/ai/certify',
      description: {
        group: 'Certify',
        summary: 'Seal, sign and store an execution',
        access: { scopes: ['certify', 'review'] },
        body: { schema: EXECUTION_REQUEST },
        success: CERTIFIED,
        errors: ATTESTING,
      },
      admit: gate.admit('certify', 'review'),
      mediaTypes,
      bodyLimitBytes,
      holderOf,
      handler: countingRefusals(deps, async (request, caller, seen) => {
        if (deps.largeWork !== undefined && isLarge(request.body)) {
          assertInScopeUnread(caller);
          return largeResponse(await deps.largeWork.run('certify', request, caller));
        }
        await deps.turns.takeFor(caller.tenantId, request);
        const body = seen(parseJsonBody(request, { maxDepth: REQUEST_DEPTH }));
        assertInScope(caller, body);
        const certified = await certify(deps, body, caller, request.requestId);
        return jsonText(200, certified.json, certificateHeaders(certified.certificateHash, certified.isReplay));
      }),
    },
    {
      method: 'POST',
      path: '/v1/cer/ai/create',
      description: {
        group: 'Certify',
        summary: 'Seal an execution; nothing is signed or stored',
        access: { scopes: ['certify'] },
        body: { schema: EXECUTION_REQUEST },
        success: { 200: { schema: shape('Bundle'), description: 'The bundle.' } },
        errors: ['PROTOCOL_SCHEMA_UNSATISFIED'],
      },
      admit,
      mediaTypes,
      bodyLimitBytes,
      holderOf,
      handler: async (request) => {
        const caller = gate.callerOf(request);
        if (deps.largeWork !== undefined && isLarge(request.body)) {
          return largeResponse(await deps.largeWork.run('create', request, caller));
        }
        await deps.turns.takeFor(caller.tenantId, request);
        return ok(create(deps, parseJsonBody(request, { maxDepth: REQUEST_DEPTH }), caller));
      },
    },
    {
      method: 'POST',
      path: '/v1/cer/ai/certify-batch',
      description: {
        group: 'Certify',
        summary: 'Certify up to 500 executions, one a line',
        access: { scopes: ['certify'] },
        body: { mediaType: 'application/x-ndjson', schema: EXECUTION_REQUEST },
        success: { 200: { description: 'One line {index, status, body} each.', mediaTypes: ['application/x-ndjson'] } },
      },
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
