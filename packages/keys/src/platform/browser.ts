import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { tweetnaclBackend } from '../backends/tweetnacl.js';
import { webCryptoBackend, type SubtleEd25519 } from '../backends/web-crypto.js';
import { decodeBase64Url } from '../base64.js';
import type { Ed25519Backend } from '../ed25519-backend.js';

/** RFC 8032, 7.1, test 1: the empty message. */
const PROBE_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const PROBE_SIGNATURE = '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw';

/**
 * WebCrypto if it accepts a published vector and rejects a changed one; tweetnacl otherwise. A browser may lack
 * Ed25519, throw on it, or (on a page without https) lack `crypto.subtle`.
 * @param subtle `crypto.subtle`, or undefined when the platform lacks it
 */
export async function chooseBackend(subtle: SubtleEd25519 | undefined): Promise<Ed25519Backend> {
  if (subtle === undefined) return tweetnaclBackend;
  const candidate = webCryptoBackend(subtle);
  const key = decodeBase64Url(PROBE_KEY);
  const signature = decodeBase64Url(PROBE_SIGNATURE);
  try {
    const takesGood = await candidate.verify(key, new Uint8Array(), signature);
    const takesBad = await candidate.verify(key, Uint8Array.of(0), signature);
    return takesGood && !takesBad ? candidate : tweetnaclBackend;
  } catch {
    return tweetnaclBackend;
  }
}

let chosen: Promise<Ed25519Backend> | undefined;

/** The fastest Ed25519 of this browser, chosen at the first verification. */
export const platformBackend: Ed25519Backend = {
  name: 'browser',
  verify: async (raw, message, signature) => {
    const global: { readonly crypto?: { readonly subtle?: SubtleEd25519 } } = globalThis;
    chosen ??= chooseBackend(global.crypto?.subtle);
    return (await chosen).verify(raw, message, signature);
  },
};

/** WebCrypto uses its own thread pool. */
export const pooledBackend: Ed25519Backend = platformBackend;

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}
