import { ok } from '@cer/http-service';
import { free, object } from '@cer/http-service/openapi';
import type { DescribedRoute } from '../openapi/route-description.js';
import { KEY_SET_MAX_AGE_S, type SigningKeys } from './signing-keys.js';

/** Publishes the keys of handoff tokens to the bridge. @see docs/spec.md, "Evidence bridge: human path" */
export function jwksRoutes(keys: SigningKeys): readonly DescribedRoute[] {
  return [
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      cors: 'public',
      description: {
        group: 'For services',
        summary: 'Keys of handoff tokens',
        access: 'public',
        success: {
          200: {
            description: 'A JWK set.',
            schema: object({ keys: { type: 'array', items: free('A public key, as RFC 7517 defines it.') } }),
          },
        },
      },
      handler: async () => ok(keys.keySet(), { 'cache-control': `public, max-age=${KEY_SET_MAX_AGE_S}` }),
    },
  ];
}
