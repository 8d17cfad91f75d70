import { isJsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash, type Sha256Hash } from '../hash.js';

const COMMITMENT_SCHEME = 'hmac-sha256-v1';

/**
 * Replaces an input or output in a confidential bundle. Exactly these members.
 * @see docs/spec.md, "Confidential executions"
 */
export interface SealedValue {
  readonly _redacted: true;
  readonly scheme: typeof COMMITMENT_SCHEME;
  readonly commitment: Sha256Hash;
}

export function isSealedValue(value: unknown): value is SealedValue & { readonly [member: string]: JsonValue } {
  return (
    isJsonObject(value) &&
    Object.keys(value).length === 3 &&
    Object.hasOwn(value, '_redacted') &&
    value['_redacted'] === true &&
    Object.hasOwn(value, 'scheme') &&
    value['scheme'] === COMMITMENT_SCHEME &&
    Object.hasOwn(value, 'commitment') &&
    isSha256Hash(value['commitment'])
  );
}

export function sealedValue(commitment: Sha256Hash): SealedValue & { readonly [member: string]: JsonValue } {
  return { _redacted: true, scheme: COMMITMENT_SCHEME, commitment };
}
