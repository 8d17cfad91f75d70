import { createVerifier, tweetnaclBackend, webCryptoBackend, type SubtleEd25519 } from '@cer/keys';
import { differences, observe, type LoadedCase } from '../vectors/observe.js';

// Runs inside the browser or realm. Returns text only, since objects of another realm are not equal to the test's.

export type BackendName = 'webcrypto' | 'tweetnacl' | 'platform';

/** Runs every case. @returns JSON of `{id: differences}` of the failing cases */
export async function runVectors(casesJson: string, backend: BackendName): Promise<string> {
  const global: { readonly crypto?: { readonly subtle?: SubtleEd25519 } } = globalThis;
  const subtle = global.crypto?.subtle;
  if (backend === 'webcrypto' && subtle === undefined) throw new Error('no WebCrypto here');
  const verifier =
    backend === 'platform'
      ? undefined
      : createVerifier(backend === 'webcrypto' && subtle !== undefined ? webCryptoBackend(subtle) : tweetnaclBackend);
  const failing: Record<string, unknown> = {};
  for (const vector of JSON.parse(casesJson) as readonly LoadedCase[]) {
    const differing = differences(vector.expected, await observe(vector, verifier));
    if (Object.keys(differing).length > 0) failing[vector.id] = differing;
  }
  return JSON.stringify(failing);
}
