import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';

const SPKI = { format: 'der', type: 'spki' } as const;
const PKCS8 = { format: 'der', type: 'pkcs8' } as const;

/**
 * A key pair that may be exported as JWK: `ec` on P-256, or `rsa` of 2048 bits. One that Node.js 20 has just made may
 * not: a garbage collection during its export waits for a lock that the export holds, and the process stands still.
 */
export function newKeyPair(type: 'ec' | 'rsa'): KeyPairKeyObjectResult {
  const { publicKey, privateKey } =
    type === 'ec'
      ? generateKeyPairSync(type, { namedCurve: 'P-256', publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 })
      : generateKeyPairSync(type, { modulusLength: 2048, publicKeyEncoding: SPKI, privateKeyEncoding: PKCS8 });
  return {
    publicKey: createPublicKey({ key: publicKey, ...SPKI }),
    privateKey: createPrivateKey({ key: privateKey, ...PKCS8 }),
  };
}
