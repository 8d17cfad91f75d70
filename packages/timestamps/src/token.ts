import { id_contentType, id_messageDigest, SignedData } from '@peculiar/asn1-cms';
import { id_ct_tstInfo, TSTInfo } from '@peculiar/asn1-tsp';
import type { AlgorithmIdentifier } from '@peculiar/asn1-x509';
import { isTimestamp } from '@cer/keys';
import { ID_SHA256 } from './algorithms.js';
import { parse, readCertificate, type TsaCertificate } from './certificate.js';
import {
  assertAlgorithm,
  assertTags,
  childAt,
  childrenOf,
  isShortest,
  membersOf,
  readDer,
  readOid,
  TAG,
  type DerElement,
} from './der.js';
import { malformed, TimestampError } from './timestamp-error.js';

const ID_SIGNED_DATA = '1.2.840.113549.1.7.2';
const ID_SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';

/** A token with its certificates has 2 to 10 KB. */
export const MAX_TOKEN_BYTES = 64 * 1024;
const MAX_CERTIFICATES = 16;

/** A parsed, unverified timestamp token. */
export interface TimestampToken {
  readonly imprintAlgorithm: string;
  readonly imprint: Uint8Array;
  /** ISO 8601, UTC, with the authority's fraction of a second. */
  readonly genTime: string;
  /** Nanoseconds; 0 if the authority states none. */
  readonly accuracy: number;
  /** The content of a DER INTEGER. */
  readonly nonce: Uint8Array | null;
  readonly serialNumber: Uint8Array;
  /** The signed TSTInfo. */
  readonly content: Uint8Array;
  readonly certificates: readonly TsaCertificate[];
  readonly signer: TokenSigner;
}

export interface TokenSigner {
  /** The signing certificate according to the signer. */
  readonly isNamed: (certificate: TsaCertificate) => boolean;
  readonly digestAlgorithm: string;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  /** The signed bytes: the attributes encoded as a SET, not under their implicit tag. */
  readonly signedAttributes: Uint8Array;
  readonly messageDigest: Uint8Array;
  /** The certificate to which the signature is bound: ESSCertIDv2 of RFC 5035. */
  readonly certificateDigest: { readonly algorithm: string; readonly hash: Uint8Array };
}

/**
 * Parses the DER of a token.
 * @throws TimestampError TIMESTAMP_TOO_LARGE before parsing, TIMESTAMP_MALFORMED for anything but a token
 */
export function parseTimestampToken(bytes: Uint8Array): TimestampToken {
  if (bytes.length > MAX_TOKEN_BYTES) {
    throw new TimestampError('TIMESTAMP_TOO_LARGE', `token: must have at most ${MAX_TOKEN_BYTES} bytes`);
  }
  const contentInfo = membersOf(readDer(bytes), 'token');
  if (readOid(childAt(contentInfo, 0, TAG.oid, 'token.contentType')) !== ID_SIGNED_DATA) {
    throw malformed('token.contentType: must be signed data');
  }
  const [signedDataElement, ...others] = childrenOf(childAt(contentInfo, 1, TAG.context0, 'token.content'));
  if (signedDataElement?.tag !== TAG.sequence || others.length > 0) {
    throw malformed('token.content: must be signed data');
  }
  assertTags(contentInfo, [[TAG.oid], [TAG.context0]], 'token');
  assertShape(signedDataElement);
  const signedData = parse(signedDataElement.whole, SignedData, 'token.content');
  if (signedData.encapContentInfo.eContentType !== id_ct_tstInfo) throw malformed('token: must contain a TSTInfo');
  const content = signedData.encapContentInfo.eContent?.single;
  if (content === undefined) throw malformed('token: has no content');
  assertContent(childAt(childrenOf(signedDataElement), 2, TAG.sequence, 'token.encapContentInfo'));
  const tstInfo = new Uint8Array(content.buffer);
  return {
    ...readTstInfo(tstInfo),
    content: tstInfo,
    certificates: certificatesOf(signedDataElement),
    signer: readSigner(signedData, signedDataElement),
  };
}

/** The types of what no signature covers: SignedData and SignerInfo of RFC 5652. */
function assertShape(signedData: DerElement): void {
  const members = childrenOf(signedData);
  const optional = members.slice(3, -1).map(() => [TAG.context0, TAG.context1]);
  assertTags(members, [[TAG.integer], [TAG.set], [TAG.sequence], ...optional, [TAG.set]], 'token.content');
  const [, digests, , ...rest] = members;
  const each = (set: DerElement | undefined, name: string): readonly DerElement[] => {
    const children = set === undefined ? [] : childrenOf(set);
    assertTags(
      children,
      children.map(() => [TAG.sequence]),
      name,
    );
    return children;
  };
  for (const digest of each(digests, 'token.digestAlgorithms')) assertAlgorithm(digest, 'token.digestAlgorithms');
  for (const signer of each(rest.at(-1), 'token.signerInfos')) {
    const parts = childrenOf(signer);
    const name = [TAG.sequence, TAG.primitiveContext0];
    const end = parts.length > 6 ? [[TAG.context1]] : [];
    const tags = [[TAG.integer], name, [TAG.sequence], [TAG.context0], [TAG.sequence], [TAG.octetString], ...end];
    // Without signed attributes the token is refused by name.
    if (parts[3]?.tag === TAG.context0) assertTags(parts, tags, 'signer');
    if (parts[1]?.tag === TAG.sequence) assertTags(childrenOf(parts[1]), [[TAG.sequence], [TAG.integer]], 'signer.sid');
    for (const algorithm of [parts[2], parts[4]]) assertAlgorithm(algorithm, 'signer');
  }
}

/** The library skips what follows the content. */
function assertContent(encapsulated: DerElement): void {
  const name = 'token.encapContentInfo';
  const members = childrenOf(encapsulated);
  assertTags(members, [[TAG.oid], [TAG.context0]], name);
  assertTags(childrenOf(childAt(members, 1, TAG.context0, name)), [[TAG.octetString]], name);
}

function readTstInfo(
  bytes: Uint8Array,
): Pick<TimestampToken, 'imprintAlgorithm' | 'imprint' | 'genTime' | 'accuracy' | 'nonce' | 'serialNumber'> {
  const element = readDer(bytes);
  const { version, messageImprint, serialNumber, accuracy, nonce, extensions } = parse(bytes, TSTInfo, 'tstInfo');
  assertStrict(childrenOf(element));
  const versions: readonly number[] = [version];
  if (!versions.includes(1)) throw malformed('tstInfo.version: must be 1');
  if (extensions?.some(({ critical }) => critical)) {
    throw malformed('tstInfo: has a critical extension that is unknown');
  }
  return {
    imprintAlgorithm: messageImprint.hashAlgorithm.algorithm,
    imprint: new Uint8Array(messageImprint.hashedMessage.buffer),
    // Parsed from the bytes: the library's Date has millisecond precision, and a revocation may be more precise.
    genTime: readGeneralizedTime(childAt(childrenOf(element), 4, TAG.generalizedTime, 'tstInfo.genTime')),
    accuracy: accuracy === undefined ? 0 : nanosecondsOf(accuracy),
    nonce: nonce === undefined ? null : new Uint8Array(nonce),
    serialNumber: new Uint8Array(serialNumber),
  };
}

/** Seconds, milliseconds and microseconds. */
const ACCURACY: readonly number[] = [TAG.integer, TAG.primitiveContext0, TAG.primitiveContext1];

/** What the library reads leniently: further members of the imprint, and numbers that are not in their shortest form. */
function assertStrict(members: readonly DerElement[]): void {
  readOid(childAt(members, 1, TAG.oid, 'tstInfo.policy'));
  const imprint = childrenOf(childAt(members, 2, TAG.sequence, 'tstInfo.messageImprint'));
  assertTags(imprint, [[TAG.sequence], [TAG.octetString]], 'tstInfo.messageImprint');
  assertAlgorithm(imprint[0], 'tstInfo.messageImprint');
  const accuracy = members.slice(5).find(({ tag }) => tag === TAG.sequence);
  let before = -1;
  for (const { tag, content } of accuracy === undefined ? [] : childrenOf(accuracy)) {
    const place = ACCURACY.indexOf(tag);
    if (place <= before || !isShortest(content)) throw malformed('tstInfo.accuracy: must be numbers in their order');
    before = place;
  }
}

const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{0,8}[1-9])?Z$/;

function readGeneralizedTime({ content }: DerElement): string {
  const match = GENERALIZED_TIME.exec(String.fromCharCode(...content));
  const [, year, month, day, hour, minute, second, fraction = ''] = match ?? [];
  const time = `${year ?? ''}-${month ?? ''}-${day ?? ''}T${hour ?? ''}:${minute ?? ''}:${second ?? ''}${fraction}Z`;
  if (match === null || !isTimestamp(time)) throw malformed('tstInfo.genTime: must be a time in UTC');
  return time;
}

function nanosecondsOf(accuracy: { seconds?: number; millis?: number; micros?: number }): number {
  const part = (value: number | undefined, limit: number): number => {
    if (value === undefined) return 0;
    if (!Number.isInteger(value) || value < 0 || value > limit) throw malformed('tstInfo.accuracy: is out of range');
    return value;
  };
  const { seconds, millis, micros } = accuracy;
  // The limit of a year keeps the sum exact.
  return part(seconds, 1_000_000) * 1e9 + part(millis, 999) * 1e6 + part(micros, 999) * 1e3;
}

function certificatesOf(signedData: DerElement): readonly TsaCertificate[] {
  const set = childrenOf(signedData).find(({ tag }) => tag === TAG.context0);
  const elements = set === undefined ? [] : childrenOf(set);
  assertTags(
    elements,
    elements.map(() => [TAG.sequence]),
    'token.certificates',
  );
  if (elements.length > MAX_CERTIFICATES) throw malformed(`token: has more than ${MAX_CERTIFICATES} certificates`);
  return elements.map(readCertificate);
}

function readSigner(signedData: SignedData, element: DerElement): TokenSigner {
  const [signer, ...others] = [...signedData.signerInfos];
  if (signer === undefined || others.length > 0) throw malformed('token: must have exactly one signer');
  const signerInfos = childrenOf(element).at(-1);
  const [signerInfo] = signerInfos === undefined ? [] : childrenOf(signerInfos);
  const attributes = signerInfo && childrenOf(signerInfo).find(({ tag }) => tag === TAG.context0);
  // A key identifier as sid has this tag number too, but is primitive (0x80).
  if (attributes === undefined) throw malformed('signer: has no signed attributes');
  const valueOf = attributeReader(attributes);
  const contentType = valueOf(id_contentType, TAG.oid, 'contentType');
  if (readOid(contentType) !== id_ct_tstInfo) throw malformed('signer.contentType: must be that of the content');
  const { issuerAndSerialNumber, subjectKeyIdentifier } = signer.sid;
  const sid = signerInfo === undefined ? undefined : childrenOf(signerInfo)[1];
  const [issuer, serial] = sid?.tag === TAG.sequence ? childrenOf(sid) : [];
  return {
    isNamed: (certificate) =>
      issuerAndSerialNumber === undefined
        ? subjectKeyIdentifier !== undefined &&
          equal(certificate.subjectKeyIdentifier, new Uint8Array(subjectKeyIdentifier.buffer))
        : equal(certificate.issuer, issuer?.whole) && equal(certificate.serialNumber, serial?.content),
    digestAlgorithm: signer.digestAlgorithm.algorithm,
    signatureAlgorithm: signer.signatureAlgorithm,
    signature: new Uint8Array(signer.signature.buffer),
    signedAttributes: Uint8Array.of(TAG.set, ...attributes.whole.subarray(1)),
    messageDigest: valueOf(id_messageDigest, TAG.octetString, 'messageDigest').content,
    certificateDigest: readSigningCertificate(valueOf(ID_SIGNING_CERTIFICATE_V2, TAG.sequence, 'signingCertificateV2')),
  };
}

function equal(left: Uint8Array | null | undefined, right: Uint8Array | undefined): boolean {
  if (left == null || right === undefined) return false;
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** Each attribute must occur once, with one value. */
function attributeReader(attributes: DerElement): (id: string, tag: number, name: string) => DerElement {
  const read = childrenOf(attributes).map((attribute) => {
    const members = childrenOf(attribute);
    assertTags(members, [[TAG.oid], [TAG.set]], 'signer.attribute');
    const id = readOid(childAt(members, 0, TAG.oid, 'signer.attribute'));
    return { id, values: childrenOf(childAt(members, 1, TAG.set, 'signer.attribute')) };
  });
  return (id, tag, name) => {
    const [found, ...others] = read.filter((attribute) => attribute.id === id);
    const [value, ...otherValues] = found?.values ?? [];
    if (value?.tag !== tag || others.length > 0 || otherValues.length > 0) {
      throw malformed(`signer.${name}: must occur once, with one value of its type`);
    }
    return value;
  };
}

/** `SEQUENCE { certs SEQUENCE OF ESSCertIDv2, ... }`, the first is the signer's; its digest defaults to SHA-256. */
function readSigningCertificate(value: DerElement): TokenSigner['certificateDigest'] {
  const certs = childAt(childrenOf(value), 0, TAG.sequence, 'signer.signingCertificateV2');
  const first = childAt(childrenOf(certs), 0, TAG.sequence, 'signer.signingCertificateV2');
  const members = childrenOf(first);
  const [named] = members;
  const hasAlgorithm = named?.tag === TAG.sequence;
  const hash = childAt(members, hasAlgorithm ? 1 : 0, TAG.octetString, 'signer.signingCertificateV2').content;
  const algorithm = hasAlgorithm
    ? readOid(childAt(childrenOf(named), 0, TAG.oid, 'signer.signingCertificateV2'))
    : ID_SHA256;
  return { algorithm, hash };
}
