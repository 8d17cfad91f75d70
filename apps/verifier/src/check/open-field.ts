import { isJsonObject, JsonError, member, parseJson } from '@cer/canonical-json';
import { CerError } from '@cer/cer-core';
import type { SealedField } from '@cer/cer-core/seal';
import { openCommitment, unwrap, type ClaimedValue } from '@cer/cer-core/verify';
import { decodeBase64Url, KeyError } from '@cer/keys';
import { readArtefact } from './read-artefact.js';

/** The opening of one sealed field, as typed or pasted. */
export interface OpeningClaim {
  readonly source: Uint8Array | string;
  readonly field: SealedField;
  /** base64url, 32 bytes. */
  readonly salt: string;
  readonly value: string;
  readonly valueType: 'text' | 'json';
}

export type OpeningResult = 'opens' | 'does-not-open' | 'not-sealed' | 'bad-salt' | 'bad-value' | 'bad-certificate';

/** Does the value open the commitment? Says nothing about the certificate itself, which is verified apart. */
export function checkOpening({ source, field, salt, value, valueType }: OpeningClaim): OpeningResult {
  const artefact = readArtefact(source);
  const bundle = artefact.kind === 'certificate' ? unwrap(artefact.value).bundle : null;
  const snapshot = bundle === null ? undefined : member(bundle, 'snapshot');
  if (!isJsonObject(snapshot)) return 'bad-certificate';
  const sealed = member(snapshot, field);
  if (!isJsonObject(sealed)) return 'not-sealed';
  const bytes = saltOf(salt);
  if (bytes === null) return 'bad-salt';
  try {
    const claimed: ClaimedValue =
      valueType === 'text' ? { type: 'text', text: value } : { type: 'json', value: parseJson(value) };
    return openCommitment(sealed, bytes, claimed) ? 'opens' : 'does-not-open';
  } catch (error) {
    if (error instanceof JsonError || error instanceof CerError) return 'bad-value';
    throw error;
  }
}

function saltOf(text: string): Uint8Array | null {
  try {
    const bytes = decodeBase64Url(text.trim());
    return bytes.length === 32 ? bytes : null;
  } catch (error) {
    if (error instanceof KeyError) return null;
    throw error;
  }
}
