import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { BUNDLE_TYPES, PROTOCOLS } from '@cer/cer-core';
import { canonicalReceipt } from '@cer/cer-core/attest';
import { readSubject } from '@cer/cer-core/verify';
import { toSpkiBase64, type NodeKeySet } from '@cer/keys';
import type { HandCheck } from './check-result.js';
import { holdsRawValues } from './raw-values.js';

/** Longer canonical texts are left to `curl` and the CLI: they are too long to paste. */
const MAX_CANONICAL = 100_000;

/** The text whose SHA-256 is the certificate's hash; null where there is none, it is too long, or it holds raw values. */
export function certificateTexts(bundle: JsonObject): HandCheck['certificate'] {
  const { reading, protocol } = readSubject(bundle, null, { protocols: PROTOCOLS, bundleTypes: BUNDLE_TYPES });
  if (reading?.layout == null || protocol === null || holdsRawValues(bundle)) return null;
  try {
    const text = protocol.profile.canonicalize(reading.layout.projectForHash(bundle));
    return text.length > MAX_CANONICAL ? null : { profile: protocol.profile.name, text };
  } catch {
    // No canonical form: the integrity layer already says so.
    return null;
  }
}

/** The signed text with its signature and key. Call it only where the receipt was verified. */
export function receiptTexts(
  bundle: JsonObject,
  packaging: JsonObject | null,
  keySet: NodeKeySet | null,
): HandCheck['receipt'] {
  const meta = member(bundle, 'meta');
  const attestation = isJsonObject(meta) ? member(meta, 'attestation') : undefined;
  const places = [attestation, packaging, bundle].filter(isJsonObject);
  const receipt = firstOf(places, 'receipt');
  const signature = firstOf(places, 'signature') ?? firstOf(places, 'signatureB64Url');
  if (!isJsonObject(receipt) || typeof signature !== 'string') return null;
  const kid = member(receipt, 'kid') ?? member(receipt, 'attestorKeyId');
  if (typeof kid !== 'string') return null;
  const key = keySet?.entries.get(kid)?.key;
  return {
    text: canonicalReceipt(receipt),
    signature,
    kid,
    publicKey: key?.usable === true ? toSpkiBase64(key.publicKey) : null,
  };
}

function firstOf(places: readonly JsonObject[], name: string): JsonValue | undefined {
  return places.map((place) => member(place, name)).find((value) => value !== undefined && value !== null);
}
