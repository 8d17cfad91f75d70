import { ok, parseJsonBody } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { certificateHeaders } from '../records/response-headers.js';
import { attest, type AttestUseCaseDeps } from './attest.js';
import { ATTESTING, type DescribedRoute } from '../openapi/route-description.js';
import { CERTIFIED } from '../records/certified-answer.js';
import { ATTEST_REQUEST } from './attest-request.js';

export interface AttestRouteDeps extends AttestUseCaseDeps {
  readonly gate: Gate;
  readonly bodyLimitBytes: number;
}

export function attestRoutes(deps: AttestRouteDeps): DescribedRoute[] {
  const { gate, bodyLimitBytes } = deps;
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
      handler: async (request) => {
        const attested = await attest(deps, parseJsonBody(request), gate.callerOf(request), request.requestId);
        return ok(attested.body, certificateHeaders(attested.certificateHash, attested.isReplay));
      },
    },
  ];
}
