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
import { childAt, childrenOf, TAG, type DerElement } from './der.js';
import { malformed } from './timestamp-error.js';

/** What of an X.509 certificate decides about a token. Byte members are DER as it was signed. */
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
  /** Milliseconds since 1970; both ends belong to the life. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The name to show: common name, else organization, else what the subject has. */
  readonly displayName: string;
  readonly isCa: boolean;
  /** How many more CAs may stand below; null: any number. */
  readonly pathLength: number | null;
  readonly mayCertify: boolean;
  readonly mayStamp: boolean;
  /** A critical extension that this verifier does not know: such a certificate is of no use. */
  readonly hasUnknownCritical: boolean;
}

const UNDERSTOOD: ReadonlySet<string> = new Set([
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_extKeyUsage,
  id_ce_subjectKeyIdentifier,
  id_ce_authorityKeyIdentifier,
  id_ce_subjectAltName,
  // Policies say under what rules the authority works. The caller pins roots, not policies.
  id_ce_certificatePolicies,
]);

const MAX_NAME_LENGTH = 200;

/** Reads a certificate. @throws TimestampError TIMESTAMP_MALFORMED */
export function readCertificate(element: DerElement): TsaCertificate {
  const { whole } = element;
  const [tbs] = childrenOf(element);
  if (tbs?.tag !== TAG.sequence) throw malformed('certificate: is none');
  const certificate = parse(whole, Certificate, 'certificate');
  const { tbsCertificate } = certificate;
  const members = childrenOf(tbs);
  const start = members[0]?.tag === TAG.context0 ? 1 : 0;
  const name = (index: number, label: string): Uint8Array =>
    childAt(members, start + index, TAG.sequence, `certificate.${label}`).whole;

  const extensions = [...(tbsCertificate.extensions?.values() ?? [])];
  const ids = extensions.map(({ extnID }) => extnID);
  if (new Set(ids).size !== ids.length) throw malformed('certificate: an extension stands twice');
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
    // RFC 3161, 2.3: the extension is critical and names time stamping alone. And a key that may not sign, may not stamp.
    mayStamp:
      extended !== null &&
      extended.critical &&
      purposes.length === 1 &&
      purposes[0] === id_kp_timeStamping &&
      (keyUsage === null || (keyUsage & (KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation)) !== 0),
    hasUnknownCritical: extensions.some(({ extnID, critical }) => critical && !UNDERSTOOD.has(extnID)),
  };
}

/** Was the certificate signed with this issuer's key? A signature that cannot be read was not. */
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

/** @throws TimestampError naming what was to be read, for bytes that are something else */
export function parse<T>(bytes: Uint8Array, type: new () => T, name: string): T {
  try {
    // A copy of its own: the buffer of a Node Buffer may hold other things too, and its `slice` copies nothing.
    return AsnConvert.parse(new Uint8Array(bytes).buffer, type);
  } catch {
    throw malformed(`${name}: is not of its type`);
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
  // It goes into reports and pages: no control characters, nothing endless.
  return (chosen?.value.toString() ?? '').replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ').slice(0, MAX_NAME_LENGTH);
}
