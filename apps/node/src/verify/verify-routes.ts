import { evaluateCer, isJsonObject, member, toNodeVerifyResponse } from '@cer/cer-core';
import type { NodeKeySet } from '@cer/keys';
import { ok, parseJsonBody, validationError, type Route } from '@cer/http-service';

export interface VerifyRouteDeps {
  readonly keySet: NodeKeySet;
  readonly now: () => Date;
  readonly verifyLimitBytes: number;
}

/** @see docs/spec.md, "POST /v1/cer/verify" */
export function verifyRoutes({ keySet, now, verifyLimitBytes }: VerifyRouteDeps): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/cer/verify',
      mediaTypes: ['application/json'],
      bodyLimitBytes: verifyLimitBytes,
      cors: 'public',
      handler: async (request) => {
        const body = parseJsonBody(request);
        const bundle = isJsonObject(body) ? member(body, 'bundle') : undefined;
        if (!isJsonObject(bundle)) {
          throw validationError([bundle === undefined ? 'bundle: is required' : 'bundle: must be an object']);
        }
        return ok(toNodeVerifyResponse(await evaluateCer(bundle, { keySet, verifiedAt: now().toISOString() })));
      },
    },
  ];
}
