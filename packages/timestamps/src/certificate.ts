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
import { isSignatureValid } from './algorithms.js';
import { assertTags, childAt, childrenOf, TAG, type DerElement } from './der.js';
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
  const certificate = parse(whole, Certificate, 'certificate');
  const { tbsCertificate } = certificate;
  const members = childrenOf(tbs);
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
