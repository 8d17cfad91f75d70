import type { JsonValue } from '@cer/canonical-json';
import type { Handler, ServiceRequest, ServiceResponse } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import type { Caller } from '../auth/key-directory.js';
import type { Refusals } from './refusals.js';

export interface CountingHandlerDeps {
  readonly gate: Pick<Gate, 'callerOf'>;
  readonly refusals: Refusals;
}

/** A handler that certifies, whose refusals are counted. @param handle as `work` of `Refusals.counting` */
export function countingRefusals(
  { gate, refusals }: CountingHandlerDeps,
  handle: (request: ServiceRequest, caller: Caller, seen: (value: JsonValue) => JsonValue) => Promise<ServiceResponse>,
): Handler {
  return (request) => {
    const caller = gate.callerOf(request);
    return refusals.counting(caller.tenantId, (seen) => handle(request, caller, seen));
  };
}
