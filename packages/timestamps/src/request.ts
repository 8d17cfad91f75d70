import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, TimeStampReq, TimeStampReqVersion } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { ID_SHA256 } from './algorithms.js';

/** A request to an authority; the requester keeps it to check the response. */
export interface TimestampRequest {
  /** SHA-256 to be timestamped, 32 bytes. */
  readonly imprint: Uint8Array;
  /** 1 to 20 unpredictable bytes; the response must repeat them. */
  readonly nonce: Uint8Array;
}

/** The media types of RFC 3161, 3.4. */
export const TIMESTAMP_QUERY_TYPE = 'application/timestamp-query';
export const TIMESTAMP_REPLY_TYPE = 'application/timestamp-reply';

/**
 * The DER of a request that includes the authority's certificates in the token, so that it can be verified later.
 * @throws RangeError for an imprint or nonce of another length
 */
export function formatTimestampRequest({ imprint, nonce }: TimestampRequest): Uint8Array {
  if (imprint.length !== 32) throw new RangeError('imprint: must have 32 bytes');
  if (nonce.length < 1 || nonce.length > 20) throw new RangeError('nonce: must have 1 to 20 bytes');
  const request = new TimeStampReq({
    version: TimeStampReqVersion.v1,
    messageImprint: new MessageImprint({
      // With NULL parameters: some authorities reject their absence.
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: ID_SHA256, parameters: Uint8Array.of(5, 0).buffer }),
      hashedMessage: new OctetString(imprint),
    }),
    nonce: toArrayBuffer(positiveInteger(nonce)),
    certReq: true,
  });
  return new Uint8Array(AsnConvert.serialize(request));
}

/** The shortest content of a non-negative DER INTEGER. */
export function positiveInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  return (digits[0] ?? 0) < 0x80 ? digits.slice() : Uint8Array.of(0, ...digits);
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
