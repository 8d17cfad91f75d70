import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { timestampDigest, timestampedText } from '@cer/cer-core/attest';
import { encodeBase64 } from '@cer/keys';
import { formatTimestampRequest, parseTimestampResponse } from '@cer/timestamps';
import type { OpensslTsa } from '@cer/timestamps/testing';
import { object } from './records.js';

/** A certified bundle with the token of a real authority over its receipt. */
export async function timestamped(bundle: JsonObject, tsa: OpensslTsa): Promise<JsonObject> {
  const meta = object(bundle, 'meta');
  const { receipt, signature } = object(meta, 'attestation');
  if (!isJsonObject(receipt) || typeof signature !== 'string') throw new Error('the bundle has no receipt');
  const imprint = timestampDigest(timestampedText(receipt, signature));
  const reply = await tsa.reply(formatTimestampRequest({ imprint, nonce: Uint8Array.of(7) }));
  const token = encodeBase64(parseTimestampResponse(reply));
  return { ...bundle, meta: { ...meta, timestamps: [{ type: 'rfc3161', token }] } };
}
