import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { HandoffKey } from '../jwks/keys-file.js';

const HANDOFF_LIFETIME_S = 90;

export interface Handoff {
  readonly signer: HandoffKey;
  /** The dashboard's origin. */
  readonly issuer: string;
  readonly bridgeUrl: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly now: Date;
}

/**
 * Makes the token with which a browser opens its session at the bridge: ES256, 90 seconds, for one bridge, one tenant
 * and one use.
 * @see docs/spec.md, "Evidence bridge: human path"
 */
export function mintHandoffToken({ signer, issuer, bridgeUrl, tenantId, userId, now }: Handoff): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = {
    iss: issuer,
    aud: new URL(bridgeUrl).host,
    sub: userId,
    tenant_id: tenantId,
    jti: randomUUID(),
    iat,
    exp: iat + HANDOFF_LIFETIME_S,
  };
  return jwt.sign(claims, signer.privateKey, {
    algorithm: 'ES256',
    header: { alg: 'ES256', typ: 'handoff+jwt', kid: signer.kid },
  });
}
