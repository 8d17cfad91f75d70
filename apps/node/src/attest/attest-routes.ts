import { ok, parseJsonBody, type Route } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { certificateHeaders } from '../records/response-headers.js';
import { attest, type AttestUseCaseDeps } from './attest.js';

export interface AttestRouteDeps extends AttestUseCaseDeps {
  readonly gate: Gate;
  readonly bodyLimitBytes: number;
}

export function attestRoutes(deps: AttestRouteDeps): Route[] {
  const { gate, bodyLimitBytes } = deps;
  return [
    {
      method: 'POST',
      path: '/api/attest',
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
