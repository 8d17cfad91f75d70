import { jwkThumbprint } from '../fingerprint.js';
import type { Signer } from '../signer.js';
import { verifySignature } from '../verify-signature.js';

/** A rule of the signer contract, independent of where the key is held. */
export interface SignerRule {
  readonly sentence: string;
  readonly holds: (signer: Signer) => Promise<boolean>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function signsWell(signer: Signer, message: Uint8Array): Promise<boolean> {
  const signature = await signer.sign(message);
  return signature.length === 64 && (await verifySignature(signer.publicKey, message, signature));
}

async function all(verdicts: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(verdicts)).every((isGood) => isGood);
}

/** The contract of {@link Signer}: one test per rule, run against every kind of signer. */
export const SIGNER_RULES: readonly SignerRule[] = [
  {
    sentence: 'has the thumbprint of its key as kid',
    holds: async ({ kid, publicKey }) => kid === jwkThumbprint(publicKey),
  },
  {
    sentence: 'makes a 64-byte signature that verifies',
    holds: (signer) => signsWell(signer, bytes('receipt')),
  },
  {
    sentence: 'signs empty, one-byte and 1 MiB messages',
    holds: (signer) => all([0, 1, 1024 * 1024].map((length) => signsWell(signer, new Uint8Array(length).fill(7)))),
  },
  {
    sentence: 'signs deterministically, as in RFC 8032',
    holds: async (signer) => {
      const [one, other] = [await signer.sign(bytes('same')), await signer.sign(bytes('same'))];
      return one.every((byte, at) => other[at] === byte);
    },
  },
  {
    sentence: 'makes signatures that are invalid for other messages',
    holds: async (signer) =>
      !(await verifySignature(signer.publicKey, bytes('other'), await signer.sign(bytes('one')))),
  },
  {
    sentence: 'signs many messages concurrently',
    holds: (signer) => all(Array.from({ length: 100 }, (_, at) => signsWell(signer, bytes(`message ${at}`)))),
  },
  {
    sentence: 'signs the bytes as of the call',
    holds: async (signer) => {
      const message = bytes('before');
      const signing = signer.sign(message);
      message.fill(0);
      return verifySignature(signer.publicKey, bytes('before'), await signing);
    },
  },
  {
    sentence: 'returns bytes that the caller may modify',
    holds: async (signer) => {
      (await signer.sign(bytes('mine'))).fill(0);
      return signsWell(signer, bytes('mine'));
    },
  },
];
