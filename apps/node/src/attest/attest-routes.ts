import { jsonText, parseJsonBody } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { countingRefusals } from '../coverage/counting-handler.js';
import { certificateHeaders } from '../records/response-headers.js';
import { largeResponse } from '../large-work/large-answer.js';
import { isLarge } from '../large-work/large-body.js';
import { attest } from './attest.js';
import { attestBatch, type AttestBatchDeps } from './attest-batch.js';
import type { WorkTurns } from '../limits/work-turns.js';
import { ATTESTING, type DescribedRoute } from '../openapi/route-description.js';
import { CERTIFIED } from '../records/certified-answer.js';
import { ATTEST_REQUEST } from './attest-request.js';

export interface AttestRouteDeps extends AttestBatchDeps {
  readonly gate: Gate;
  readonly turns: Pick<WorkTurns, 'take' | 'takeFor'>;
  readonly bodyLimitBytes: number;
  readonly batchLimitBytes: number;
}

export function attestRoutes(deps: AttestRouteDeps): DescribedRoute[] {
  const { gate, bodyLimitBytes, batchLimitBytes } = deps;
  return [
    {
      method: 'POST',
      path: '/api/attest',
      description: {
        group: 'Certify',
        summary: 'Sign and store a bundle that was sealed elsewhere',
        access: { scopes: ['certify'] },
        body: { schema: ATTEST_REQUEST },
        success: CERTIFIED,
        errors: ['INVALID_BUNDLE', ...ATTESTING],
      },
      admit: gate.admit('certify'),
      mediaTypes: ['application/json'],
      bodyLimitBytes,
      holderOf: (head) => gate.callerOf(head).tenantId,
      handler: countingRefusals(deps, async (request, caller, seen) => {
        if (deps.largeWork !== undefined && isLarge(request.body)) {
          return largeResponse(await deps.largeWork.run('attest', request, caller));
        }
        await deps.turns.takeFor(caller.tenantId, request);
        const attested = await attest(deps, seen(parseJsonBody(request)), caller, request.requestId);
        return jsonText(200, attested.json, certificateHeaders(attested.certificateHash, attested.isReplay));
      }),
    },
    {
      method: 'POST',
      path: '/api/attest-batch',
      description: {
        group: 'Certify',
        summary: 'Sign and store up to 500 bundles that were sealed elsewhere, one a line',
        access: { scopes: ['certify'] },
        body: { mediaType: 'application/x-ndjson', schema: ATTEST_REQUEST },
        success: { 200: { description: 'One line {index, status, body} each.', mediaTypes: ['application/x-ndjson'] } },
      },
      admit: gate.admit('certify'),
      mediaTypes: ['application/x-ndjson'],
      bodyLimitBytes: batchLimitBytes,
      body: 'stream',
      handler: async (request) => ({
        status: 200,
        headers: { 'content-type': 'application/x-ndjson' },
        body: attestBatch(deps, request.body, gate.callerOf(request)),
      }),
    },
  ];
}
