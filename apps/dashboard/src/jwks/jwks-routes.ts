import { ok, type Route } from '@cer/http-service';
import { KEY_SET_MAX_AGE_S, type SigningKeys } from './signing-keys.js';

/** Publishes the keys of handoff tokens to the bridge. @see docs/spec.md, "Evidence bridge: human path" */
export function jwksRoutes(keys: SigningKeys): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/.well-known/jwks.json',
      cors: 'public',
      handler: async () => ok(keys.keySet(), { 'cache-control': `public, max-age=${KEY_SET_MAX_AGE_S}` }),
    },
  ];
}
