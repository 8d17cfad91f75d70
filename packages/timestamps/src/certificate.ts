import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_timeStamping,
  KeyUsage,
  KeyUsageFlags,
  type AlgorithmIdentifier,
} from '@peculiar/asn1-x509';
import { isTimestamp } from '@cer/keys';
import { isSignatureValid } from './algorithms.js';
import {
  assertAlgorithm,
  assertTags,
  childAt,
  childrenOf,
  membersOf,
  readDer,
  readOid,
  TAG,
  type DerElement,
} from './der.js';
import { malformed } from './timestamp-error.js';

/** The parts of an X.509 certificate that matter for a token. Byte members are the original DER. */
export interface TsaCertificate {
  readonly whole: Uint8Array;
  readonly tbs: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly serialNumber: Uint8Array;
  readonly spki: Uint8Array;
  readonly subjectKeyIdentifier: Uint8Array | null;
  readonly signatureAlgorithm: AlgorithmIdentifier;
  readonly signature: Uint8Array;
  /** Milliseconds since 1970; both bounds are inclusive. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The display name: common name, else organization, else the whole subject. */
  readonly displayName: string;
  readonly isCa: boolean;
  /** Maximum number of CAs below this one; null: unlimited. */
  readonly pathLength: number | null;
  readonly mayCertify: boolean;
  readonly mayTimestamp: boolean;
  /** Whether the certificate has a critical extension unknown to this verifier, which makes it unusable. */
  readonly hasUnknownCritical: boolean;
}

const UNDERSTOOD: ReadonlySet<string> = new Set([
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_extKeyUsage,
  id_ce_subjectKeyIdentifier,
  id_ce_authorityKeyIdentifier,
  id_ce_subjectAltName,
  // Policies describe the authority's rules. The caller pins roots, not policies.
  id_ce_certificatePolicies,
]);

const MAX_NAME_LENGTH = 200;

/** Reads a certificate. @throws TimestampError TIMESTAMP_MALFORMED */
export function readCertificate(element: DerElement): TsaCertificate {
  const { whole } = element;
  const parts = childrenOf(element);
  const [tbs] = parts;
  if (tbs?.tag !== TAG.sequence) throw malformed('certificate: is none');
  assertTags(parts, [[TAG.sequence], [TAG.sequence], [TAG.bitString]], 'certificate');
  const members = childrenOf(tbs);
  assertAlgorithm(parts[1], 'certificate.signatureAlgorithm');
  assertStrict(members);
  const certificate = parse(whole, Certificate, 'certificate');
  const { tbsCertificate } = certificate;
  const start = members[0]?.tag === TAG.context0 ? 1 : 0;
  const name = (index: number, label: string): Uint8Array =>
    childAt(members, start + index, TAG.sequence, `certificate.${label}`).whole;

  const extensions = [...(tbsCertificate.extensions?.values() ?? [])];
  const ids = extensions.map(({ extnID }) => extnID);
  if (new Set(ids).size !== ids.length) throw malformed('certificate: has a duplicate extension');
  const find = (id: string): { readonly critical: boolean; readonly value: Uint8Array } | null => {
    const extension = extensions.find(({ extnID }) => extnID === id);
    return extension === undefined
      ? null
      : { critical: extension.critical, value: new Uint8Array(extension.extnValue.buffer) };
  };
  const basic = find(id_ce_basicConstraints);
  const constraints = basic === null ? null : parse(basic.value, BasicConstraints, 'basicConstraints');
  const usage = find(id_ce_keyUsage);
  const keyUsage = usage === null ? null : parse(usage.value, KeyUsage, 'keyUsage').toNumber();
  const extended = find(id_ce_extKeyUsage);
  const purposes = extended === null ? [] : [...parse(extended.value, ExtendedKeyUsage, 'extKeyUsage')];
  const keyIdentifier = find(id_ce_subjectKeyIdentifier);
  return {
    whole,
    tbs: tbs.whole,
    issuer: name(2, 'issuer'),
    subject: name(4, 'subject'),
    serialNumber: childAt(members, start, TAG.integer, 'certificate.serialNumber').content,
    spki: name(5, 'publicKey'),
    subjectKeyIdentifier: keyIdentifier === null ? null : keyIdentifier.value.subarray(2),
    signatureAlgorithm: certificate.signatureAlgorithm,
    signature: new Uint8Array(certificate.signatureValue),
    notBefore: tbsCertificate.validity.notBefore.getTime().getTime(),
    notAfter: tbsCertificate.validity.notAfter.getTime().getTime(),
    displayName: displayNameOf(tbsCertificate.subject),
    isCa: constraints?.cA ?? false,
    pathLength: constraints?.pathLenConstraint ?? null,
    mayCertify: keyUsage === null || (keyUsage & KeyUsageFlags.keyCertSign) !== 0,
    // RFC 3161, 2.3: the extension is critical and names timeStamping alone. The key usage must allow signatures, too.
    mayTimestamp:
      extended !== null &&
      extended.critical &&
      purposes.length === 1 &&
      purposes[0] === id_kp_timeStamping &&
      (keyUsage === null || (keyUsage & (KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation)) !== 0),
    hasUnknownCritical: extensions.some(({ extnID, critical }) => critical && !UNDERSTOOD.has(extnID)),
  };
}

const UTC_TIME = 0x17;
/** Unique identifiers of issuer and subject, and extensions. */
const OPTIONAL: readonly number[] = [TAG.primitiveContext1, 0x82, TAG.context3];
const TIME_TAGS = [UTC_TIME, TAG.generalizedTime];

/** What the library reads leniently: times, names, extensions, and the values of the extensions that decide. */
function assertStrict(members: readonly DerElement[]): void {
  const start = members[0]?.tag === TAG.context0 ? 1 : 0;
  const validity = childrenOf(childAt(members, start + 3, TAG.sequence, 'certificate.validity'));
  assertTags(validity, [TIME_TAGS, TIME_TAGS], 'certificate.validity');
  validity.forEach(assertTime);
  assertAlgorithm(members[start + 1], 'certificate.signature');
  assertAlgorithm(childrenOf(childAt(members, start + 5, TAG.sequence, 'publicKey'))[0], 'publicKey');
  for (const index of [2, 4]) assertName(childAt(members, start + index, TAG.sequence, 'certificate.name'));
  const places = members.slice(start + 6).map(({ tag }) => OPTIONAL.indexOf(tag));
  if (places.some((place, at) => place <= (places[at - 1] ?? -1))) {
    throw malformed('certificate: a member is out of order, there twice or of another type');
  }
  const [list] = members.filter(({ tag }) => tag === TAG.context3).flatMap(childrenOf);
  for (const extension of list === undefined ? [] : membersOf(list, 'certificate.extensions')) {
    const parts = membersOf(extension, 'certificate.extension');
    const critical = parts.length > 2 ? [[TAG.boolean]] : [];
    assertTags(parts, [[TAG.oid], ...critical, [TAG.octetString]], 'certificate.extension');
    const [id, value] = [parts[0], parts.at(-1)];
    if (id !== undefined && value !== undefined) VALUES.get(readOid(id))?.(readDer(value.content));
  }
}

function assertTime({ tag, content }: DerElement): void {
  const text = String.fromCharCode(...content);
  const digits = tag === UTC_TIME ? `${text < '50' ? '20' : '19'}${text}` : text;
  const time = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3T$4:$5:$6');
  if (time === digits || !isTimestamp(time)) throw malformed('certificate: a time is not one');
}

function assertName(name: DerElement): void {
  for (const relative of childrenOf(name)) {
    if (relative.tag !== TAG.set) throw malformed('certificate.name: must be a SEQUENCE of SETs');
    for (const attribute of childrenOf(relative)) {
      const parts = membersOf(attribute, 'certificate.name');
      if (parts.length !== 2) throw malformed('certificate.name: has another attribute');
      readOid(childAt(parts, 0, TAG.oid, 'certificate.name'));
    }
  }
}

/** The shapes of the extensions that decide. */
const VALUES: ReadonlyMap<string, (value: DerElement) => void> = new Map([
  [
    id_ce_basicConstraints,
    (value: DerElement): void => {
      const parts = membersOf(value, 'basicConstraints');
      const stated = parts[0]?.tag === TAG.boolean ? [[TAG.boolean]] : [];
      const length = parts.length > stated.length ? [[TAG.integer]] : [];
      assertTags(parts, [...stated, ...length], 'basicConstraints');
    },
  ],
  [
    id_ce_keyUsage,
    (value: DerElement): void => {
      assertTags([value], [[TAG.bitString]], 'keyUsage');
    },
  ],
  [
    id_ce_extKeyUsage,
    (value: DerElement): void => {
      const parts = membersOf(value, 'extKeyUsage');
      assertTags(
        parts,
        parts.map(() => [TAG.oid]),
        'extKeyUsage',
      );
    },
  ],
]);

/** Whether the certificate was signed with this issuer's key; false for an unreadable signature. */
export async function isIssuedBy(certificate: TsaCertificate, issuer: TsaCertificate): Promise<boolean> {
  const { signatureAlgorithm, tbs, signature } = certificate;
  try {
    return await isSignatureValid({
      algorithm: signatureAlgorithm,
      digest: null,
      spki: issuer.spki,
      bytes: tbs,
      signature,
    });
  } catch {
    return false;
  }
}

/** @throws TimestampError naming the expected type, for any other bytes */
export function parse<T>(bytes: Uint8Array, type: new () => T, name: string): T {
  try {
    // Copies: the memory of a Node Buffer may be shared, and its `slice` does not copy.
    return AsnConvert.parse(new Uint8Array(bytes).buffer, type);
  } catch {
    throw malformed(`${name}: is not of the expected type`);
  }
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

function displayNameOf(subject: Certificate['tbsCertificate']['subject']): string {
  const attributes = [...subject].flatMap((relative) => [...relative]);
  const chosen =
    attributes.find(({ type }) => type === COMMON_NAME) ??
    attributes.find(({ type }) => type === ORGANIZATION) ??
    attributes[0];
  // Shown in reports and pages: control characters are removed and the length is limited.
  return (chosen?.value.toString() ?? '').replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ').slice(0, MAX_NAME_LENGTH);
}
