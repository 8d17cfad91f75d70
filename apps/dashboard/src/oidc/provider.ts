import { ServiceError } from '@cer/http-service';
import * as client from 'openid-client';
import * as z from 'zod';
import { EmailAddress, PlainName } from '../account/person.js';

const TIMEOUT_S = 10;
const SCOPE = 'openid email profile';

export interface OidcSettings {
  /** Identifier of the provider, exactly as it states it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** The values that one sign-in is bound to; only the browser that began it has them. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** A person whom the provider vouches for. */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case, verified by the provider. */
  readonly email: string;
  readonly name: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface OidcProvider {
  /** @returns the address at the provider, and what its answer is checked against */
  begin(): Promise<{ readonly url: string; readonly checks: OidcChecks }>;
  /**
   * Checks the provider's answer and its id token: signature, issuer, audience, nonce, times.
   * @param query of the callback
   * @throws ServiceError FORBIDDEN for an invalid answer, SERVICE_UNAVAILABLE when the provider cannot be reached
   */
  finish(query: URLSearchParams, checks: OidcChecks): Promise<OidcPerson>;
}

const Person = z.object({
  sub: z.string().min(1).max(255),
  email: EmailAddress,
  email_verified: z.literal(true),
  name: PlainName.optional().catch(undefined),
});

/** Discovers the provider at the first sign-in, so that the dashboard starts without it. */
export function createOidcProvider(settings: OidcSettings): OidcProvider {
  const { issuer, clientId, clientSecret, redirectUri } = settings;
  let discovered: Promise<client.Configuration> | null = null;

  const configuration = async (): Promise<client.Configuration> => {
    const server = new URL(issuer);
    discovered ??= client.discovery(server, clientId, undefined, client.ClientSecretBasic(clientSecret), {
      timeout: TIMEOUT_S,
      // The library trusts the connection alone by default: the signature of the id token is checked too.
      execute: [
        client.enableNonRepudiationChecks,
        // oxlint-disable-next-line typescript/no-deprecated -- the configuration allows http on this machine only
        ...(server.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
    try {
      return await discovered;
    } catch (cause) {
      discovered = null;
      throw unavailable(cause);
    }
  };

  return {
    begin: async () => {
      const config = await configuration();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    },
    finish: async (query, { state, nonce, verifier }) => {
      const config = await configuration();
      const answered = new URL(redirectUri);
      answered.search = query.toString();
      const claims = await client
        .authorizationCodeGrant(config, answered, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        .then((tokens) => tokens.claims())
        .catch((cause: unknown) => {
          throw isAway(cause) ? unavailable(cause) : refused(cause);
        });
      const person = Person.safeParse(claims);
      if (!person.success) {
        throw new ServiceError({
          code: 'FORBIDDEN',
          message: 'The provider did not state a verified e-mail address of yours. Ask your administrator.',
        });
      }
      const { sub: subject, email, name } = person.data;
      return { issuer, subject, email, name: name ?? email, claims: { ...claims } };
    },
  };
}

/** A failed or overlong request, in contrast to an invalid answer. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT')) return true;
  return error.message === 'fetch failed' || isAway(error.cause);
}

function refused(cause: unknown): ServiceError {
  const message = 'The sign-in at the provider was not accepted. Start it again.';
  return new ServiceError({ code: 'FORBIDDEN', message }, { cause });
}

function unavailable(cause: unknown): ServiceError {
  const message = 'The sign-in provider cannot be reached now: retry.';
  return new ServiceError({ code: 'SERVICE_UNAVAILABLE', message, headers: { 'retry-after': '5' } }, { cause });
}
