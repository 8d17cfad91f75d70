import { createHash } from 'node:crypto';
import {
  ACTIVE,
  at,
  attest,
  canonical,
  change,
  keySet,
  OTHER,
  seal,
  v1,
  type JsonObject,
} from '../forge.js';
import { fails, group, passes, type Vector } from '../vector.js';

const RECEIPT = 'meta.attestation.receipt';

/** The order of the base point, and the prime of the field. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;
const SIGN = 2n ** 255n;

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const bytesOf = (number: bigint): Buffer => Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse();
const sha512 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest();

/** The secret number of a test signer. */
function secretOf(name: string): bigint {
  const half = sha512(createHash('sha256').update(`cer test signer ${name}`).digest()).subarray(0, 32);
  half.writeUInt8(half.readUInt8(0) & 248, 0);
  half.writeUInt8((half.readUInt8(31) & 63) | 64, 31);
  return numberOf(half);
}

/** A signature whose equation holds for the point of the key OTHER, while it states this commitment. */
function signedFor(commitment: Buffer, message: string): string {
  const key = Buffer.from(ACTIVE.publicKey.raw);
  const challenge = numberOf(sha512(commitment, key, Buffer.from(message))) % L;
  const s = (secretOf('vectors other') + challenge * secretOf('vectors active')) % L;
  return Buffer.concat([commitment, bytesOf(s)]).toString('base64url');
}

/** Points that only one of both coordinates tells apart, and keys that are no points. */
export async function signatureCases(): Promise<Vector[]> {
  const bundle = await attest(seal(v1()), { envelope: false });
  const message = canonical(at(bundle, RECEIPT));
  const point = numberOf(Buffer.from(OTHER.publicKey.raw));
  const sign = point & SIGN;
  const y = point ^ sign;
  const under = (commitment: bigint): JsonObject =>
    change(bundle, 'meta.attestation.signature', signedFor(bytesOf(commitment), message));
  const EQUATION = 'A signature is valid where [S]B = R + [k]A.';
  const refused = fails('ATTESTATION_INVALID_SIGNATURE', 'meta.attestation.signature', 'PFPS');
  const keyOf = (number: bigint): JsonObject => ({
    ...keySet(),
    keys: [{ kid: ACTIVE.kid, algorithm: 'Ed25519', publicKey: bytesOf(number).toString('base64') }],
  });
  const unusable = fails('ATTESTATION_KEY_FORMAT_UNSUPPORTED', RECEIPT, 'PFPS');
  const POINT = 'A key is unusable when its point is of small order, not canonical or not on the curve.';
  return group('signature', 'Signatures', keySet(), [
    ['by-its-equation', EQUATION, under(point), passes('PPPS')],
    ['with-the-other-x', EQUATION, under(y | (sign ^ SIGN)), refused],
    ['with-the-other-y', EQUATION, under((P - y) | sign), refused],
    ['key-not-on-the-curve', POINT, bundle, unusable, { keySet: keyOf(2n), heading: 'Node key set' }],
    ['key-not-canonical', POINT, bundle, unusable, { keySet: keyOf(P + 3n), heading: 'Node key set' }],
  ]);
}
