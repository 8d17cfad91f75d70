import { jwkThumbprint } from '../fingerprint.js';
import type { Signer } from '../signer.js';
import { verifySignature } from '../verify-signature.js';

/** What any signer must keep to, wherever its key lies. */
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

/** The contract of {@link Signer}: one test for each, run against every kind of signer. */
export const SIGNER_RULES: readonly SignerRule[] = [
  {
    sentence: 'is named by the thumbprint of its key',
    holds: async ({ kid, publicKey }) => kid === jwkThumbprint(publicKey),
  },
  {
    sentence: 'makes 64 bytes that verify',
    holds: (signer) => signsWell(signer, bytes('receipt')),
  },
  {
    sentence: 'signs nothing, one byte, and a megabyte',
    holds: (signer) => all([0, 1, 1024 * 1024].map((length) => signsWell(signer, new Uint8Array(length).fill(7)))),
  },
  {
    sentence: 'signs the same message the same way (RFC 8032 is deterministic)',
    holds: async (signer) => {
      const [one, other] = [await signer.sign(bytes('same')), await signer.sign(bytes('same'))];
      return one.every((byte, at) => other[at] === byte);
    },
  },
  {
    sentence: 'makes a signature that fits no other message',
    holds: async (signer) =>
      !(await verifySignature(signer.publicKey, bytes('other'), await signer.sign(bytes('one')))),
  },
  {
    sentence: 'signs many messages at once, each its own',
    holds: (signer) => all(Array.from({ length: 100 }, (_, at) => signsWell(signer, bytes(`message ${at}`)))),
  },
  {
    sentence: 'signs what the bytes were when it was called',
    holds: async (signer) => {
      const message = bytes('before');
      const signing = signer.sign(message);
      message.fill(0);
      return verifySignature(signer.publicKey, bytes('before'), await signing);
    },
  },
  {
    sentence: 'answers with bytes that are the caller’s own',
    holds: async (signer) => {
      (await signer.sign(bytes('mine'))).fill(0);
      return signsWell(signer, bytes('mine'));
    },
  },
];
