import jwt from 'jsonwebtoken';
import * as z from 'zod';
import type { TokenIdentity } from '../store/index.js';
import type { HandoffKeys } from './handoff-keys.js';

const MAX_TOKEN_CHARACTERS = 4096;
const MAX_LIFETIME_S = 120;
const SKEW_S = 5;
/** Header members by which a token would bring its own keys or rules. */
const REFUSED_HEADERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit'] as const;

const Header = z.object({ alg: z.literal('ES256'), typ: z.literal('handoff+jwt'), kid: z.string().min(1).max(256) });

const id = z.string().min(1).max(100);
const Claims = z.object({
  iss: z.string(),
  /** One string, not a list. */
  aud: z.string(),
  sub: id,
  tenant_id: id,
  jti: id,
  iat: z.number().int(),
  exp: z.number().int(),
});

/** The user that a valid token names. */
export interface Handoff {
  readonly identity: TokenIdentity;
  readonly tenantId: string;
  readonly userId: string;
  /** In ms since 1970: a token states the second of its issue, and this is the end of it. */
  readonly issuedBeforeMs: number;
}

/** The required issuer and audience of a token. */
export interface HandoffRules {
  /** The control plane's origin. */
  readonly issuer: string;
  /** This bridge's `host[:port]`. */
  readonly audience: string;
  readonly keys: HandoffKeys;
  readonly now: () => Date;
}

/** A token that does not count. The reason goes to the log only. */
export class HandoffRefused extends Error {
  override readonly name = 'HandoffRefused';
}

/**
 * Verifies a handoff token, all but whether it was used before.
 * @throws HandoffRefused for any fault of the token
 * @throws ServiceError SERVICE_UNAVAILABLE when its key cannot be fetched
 * @see docs/spec.md, "Evidence bridge: human path"
 */
export async function verifyHandoffToken(token: unknown, rules: HandoffRules): Promise<Handoff> {
  if (typeof token !== 'string') throw new HandoffRefused('no text');
  if (token.length > MAX_TOKEN_CHARACTERS) throw new HandoffRefused('longer than 4 KB');
  const { kid } = headerOf(token);
  const key = await rules.keys(kid);
  if (key === null) throw new HandoffRefused('unknown kid');
  const nowS = Math.floor(rules.now().getTime() / 1000);
  const { tenant_id: tenantId, sub: userId, iss, jti, iat, exp } = claimsOf(token, key, rules, nowS);
  const identity = { issuer: iss, jti, expiresAt: new Date((exp + SKEW_S + 1) * 1000) };
  return { identity, tenantId, userId, issuedBeforeMs: (iat + 1) * 1000 };
}

function headerOf(token: string): z.output<typeof Header> {
  // Some faults of a token make the library throw, others make it return null.
  let header: unknown;
  try {
    header = jwt.decode(token, { complete: true })?.header;
  } catch {
    throw new HandoffRefused('no JWT');
  }
  if (typeof header !== 'object' || header === null) throw new HandoffRefused('no JWT');
  const refused = REFUSED_HEADERS.find((name) => name in header);
  if (refused !== undefined) throw new HandoffRefused(`header ${refused} is not allowed`);
  const result = Header.safeParse(header);
  if (!result.success) throw new HandoffRefused('alg, typ or kid is not that of a handoff token');
  return result.data;
}

function claimsOf(
  token: string,
  key: jwt.PublicKey,
  { issuer, audience }: HandoffRules,
  nowS: number,
): z.output<typeof Claims> {
  let verified: unknown;
  try {
    verified = jwt.verify(token, key, {
      algorithms: ['ES256'],
      issuer,
      audience,
      clockTimestamp: nowS,
      clockTolerance: SKEW_S,
    });
  } catch (error) {
    // The library's messages name rules; the longest quotes the expected audience.
    throw new HandoffRefused(error instanceof jwt.JsonWebTokenError ? error.message : 'not verifiable');
  }
  const result = Claims.safeParse(verified);
  if (!result.success) throw new HandoffRefused('a claim is missing or of another type');
  const { iat, exp } = result.data;
  if (exp - iat > MAX_LIFETIME_S) throw new HandoffRefused('lives longer than 120 s');
  if (iat > nowS + SKEW_S) throw new HandoffRefused('issued in the future');
  return result.data;
}
