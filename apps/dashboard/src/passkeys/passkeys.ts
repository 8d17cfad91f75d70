import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { randomToken, tokenHash } from '../account/random-token.js';
import type { NewPasskey, Passkey, UsedChallenge, User } from '../store/index.js';
import type { Tickets, TicketPurpose } from '../web/tickets.js';
import { assertedIn, attestedIn } from './credential-form.js';
import type { RelyingParty } from './relying-party.js';

const RP_NAME = 'Execution Certification';
/** Time from showing a page to its answer, in ms. */
const CHALLENGE_MS = 10 * 60_000;
/** Time that a browser waits for the authenticator, in ms. */
const TIMEOUT_MS = 5 * 60_000;

export type PasskeyCheck<T> =
  | ({ readonly ok: true; readonly challenge: UsedChallenge } & T)
  /** @param cause for the log: it has no secret */
  | { readonly ok: false; readonly cause: string };

/**
 * Passkeys of this dashboard: discoverable credentials that verify their user. Challenges are tickets, bound to one form
 * token; the store accepts each once.
 */
export interface Passkeys {
  /** Options of `navigator.credentials.create`, as JSON. @param binding form token of the session */
  registrationOptions(user: User, existing: readonly Passkey[], binding: string): Promise<string>;
  checkRegistration(
    credential: string,
    binding: string,
  ): Promise<PasskeyCheck<{ readonly passkey: Omit<NewPasskey, 'name'> }>>;
  /** Options of `navigator.credentials.get`, as JSON. @param binding form token of the visit */
  signInOptions(binding: string): Promise<string>;
  /** @param find the stored passkey of a credential id */
  checkSignIn<Found extends { readonly passkey: Passkey }>(
    credential: string,
    binding: string,
    find: (credentialId: string) => Promise<Found | null>,
  ): Promise<PasskeyCheck<{ readonly found: Found; readonly counter: number }>>;
}

export function createPasskeys(rp: RelyingParty, tickets: Tickets): Passkeys {
  const challengeFor = (purpose: TicketPurpose, binding: string): string =>
    tickets.issue({ purpose, binding }, randomToken(), CHALLENGE_MS);
  /** Reads the challenge that a browser signed, and returns the parts that the store needs. */
  const reading = (purpose: TicketPurpose, binding: string) => {
    const read: UsedChallenge[] = [];
    return {
      isExpected: (signed: string): boolean => {
        const ticket = Buffer.from(signed, 'base64url').toString('utf8');
        const valid = tickets.read({ purpose, binding }, ticket);
        if (valid !== null) read.push({ challengeHash: tokenHash(ticket), expiresAt: valid.expiresAt });
        return valid !== null;
      },
      used: (): UsedChallenge => {
        const [challenge] = read;
        if (challenge === undefined) throw new Error('a response was accepted without its challenge');
        return challenge;
      },
    };
  };

  const expected = { expectedOrigin: rp.origin, expectedRPID: rp.id, requireUserVerification: true };

  return {
    registrationOptions: async (user, existing, binding) =>
      JSON.stringify(
        await generateRegistrationOptions({
          ...{ rpName: RP_NAME, rpID: rp.id, userName: user.email, userDisplayName: user.name },
          userID: new Uint8Array(Buffer.from(user.userId)),
          challenge: challengeFor('passkey registration', binding),
          timeout: TIMEOUT_MS,
          attestationType: 'none',
          excludeCredentials: existing.map(({ credentialId, transports }) => ({
            id: credentialId,
            transports: [...transports],
          })),
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        }),
      ),
    checkRegistration: async (text, binding) => {
      const sent = attestedIn(text);
      if (sent === null) return { ok: false, cause: 'not a new credential' };
      const challenge = reading('passkey registration', binding);
      return guarded(async () => {
        refuseCertificates(sent.response.attestationObject);
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: { ...responseOf(sent.id), response: sent.response },
          expectedChallenge: challenge.isExpected,
          ...expected,
        });
        if (!verified) return { ok: false, cause: 'the attestation does not hold' };
        const { id, publicKey, counter } = registrationInfo.credential;
        const { transports } = sent.response;
        const key = Buffer.from(publicKey).toString('base64url');
        const passkey = { credentialId: id, publicKey: key, counter, transports };
        return { ok: true, challenge: challenge.used(), passkey };
      });
    },
    signInOptions: async (binding) =>
      JSON.stringify(
        await generateAuthenticationOptions({
          rpID: rp.id,
          challenge: challengeFor('passkey sign-in', binding),
          timeout: TIMEOUT_MS,
          userVerification: 'required',
        }),
      ),
    checkSignIn: async (text, binding, find) => {
      const sent = assertedIn(text);
      if (sent === null) return { ok: false, cause: 'not an answer of a credential' };
      const found = await find(sent.id);
      if (found === null) return { ok: false, cause: 'an unknown credential' };
      const { passkey } = found;
      if (Buffer.from(sent.response.userHandle, 'base64url').toString('utf8') !== passkey.userId) {
        return { ok: false, cause: 'the credential names another user' };
      }
      const challenge = reading('passkey sign-in', binding);
      return guarded(async () => {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: { ...responseOf(sent.id), response: sent.response },
          expectedChallenge: challenge.isExpected,
          ...expected,
          credential: {
            id: passkey.credentialId,
            publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
            counter: passkey.counter,
          },
        });
        if (!verified) return { ok: false, cause: 'the signature does not hold' };
        return { ok: true, challenge: challenge.used(), found, counter: authenticationInfo.newCounter };
      });
    },
  };
}

function responseOf(id: string) {
  return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
}

/**
 * Refuses attestations with certificates: none are asked for, and checking them makes the library open addresses that
 * the sender chose.
 * @throws Error
 */
function refuseCertificates(attestationObject: string): void {
  const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = attestation.get('fmt');
  const isSelfAttested = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelfAttested) throw new Error('an attestation with certificates');
}

/** The library throws for every fault, and for bytes that it cannot read. */
async function guarded<R>(check: () => Promise<R>): Promise<R | { readonly ok: false; readonly cause: string }> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, cause: error.message };
  }
}
