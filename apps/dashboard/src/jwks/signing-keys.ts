import { followFile } from '../secrets/follow-file.js';
import { addKey, readKeysFile, type HandoffKey, type PublicJwk } from './keys-file.js';

/** Maximum time for which readers may cache the key set. */
export const KEY_SET_MAX_AGE_S = 300;
/** A new key is published this long before it signs, an old one this long after it signed last. */
const OVERLAP_MS = 2 * KEY_SET_MAX_AGE_S * 1000;

export interface JsonWebKeySet {
  readonly keys: readonly (PublicJwk & { readonly use: 'sig'; readonly alg: 'ES256'; readonly kid: string })[];
}

/** The keys that handoff tokens are signed with. */
export interface SigningKeys {
  /** The key that signs now. */
  signer(): HandoffKey;
  /** The key set with which readers check tokens: public members only. */
  keySet(): JsonWebKeySet;
}

/**
 * Follows a keys file: a key that another process added is published with the next answer.
 * @throws SecretFileError and KeysFileError as readKeysFile, here and from both methods
 */
export function openSigningKeys(path: string, now: () => Date): SigningKeys {
  const current = followFile(path, readKeysFile);
  return {
    signer: () => signerOf(current(), now()),
    keySet: () => ({
      keys: publishedKeys(current(), now()).map(({ publicJwk, kid }) => ({
        ...publicJwk,
        use: 'sig',
        alg: 'ES256',
        kid,
      })),
    }),
  };
}

export interface Rotation {
  readonly kid: string;
  readonly signsFrom: Date;
}

/**
 * Publishes a new key, which signs once every reader has had time to see it.
 * @param immediate for a leaked key: the new one signs at once, all others are removed
 */
export function rotateSigningKeys(path: string, now: Date, immediate: boolean): Rotation {
  const signsFrom = immediate ? now : new Date(now.getTime() + OVERLAP_MS);
  const published = new Set(publishedKeys(readKeysFile(path), now).map(({ kid }) => kid));
  return { kid: addKey(path, signsFrom, (kid) => !immediate && published.has(kid)), signsFrom };
}

/** The last key whose signing time has come; before that of the first, the first. */
function signerOf(keys: readonly HandoffKey[], now: Date): HandoffKey {
  const signer = keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
  if (signer === undefined) throw new Error('the keys file holds no key');
  return signer;
}

/** Every key but those whose successor has been signing for long enough. */
function publishedKeys(keys: readonly HandoffKey[], now: Date): readonly HandoffKey[] {
  return keys.filter((_key, index) => {
    const successor = keys[index + 1];
    return successor === undefined || successor.signsFrom.getTime() + OVERLAP_MS > now.getTime();
  });
}
