import { isJsonObject, isSameJson, member, pickPresent, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { RECEIPT_MEMBERS, LEGACY_RECEIPT_MEMBERS } from '../attest/receipt.js';
import { RESEAL } from '../bundle-types/registry.js';
import type { Finding } from '../finding.js';

/** All parts of a bundle and its package that concern an attestation, before any is trusted. */
export interface Evidence {
  /** True for any part of an attestation: then the rest of the receipt is required too. */
  readonly isPresent: boolean;
  readonly receipt: JsonObject | null;
  readonly signature: JsonValue | undefined;
  readonly envelope: JsonValue | undefined;
  readonly envelopeSignature: JsonValue | undefined;
  /** Unsigned copies: `meta.attestation`, else the package's summary. */
  readonly attestation: JsonObject | null;
  /** The places that hold unsigned copies of signed values, with the path to show. */
  readonly copies: readonly { readonly path: string; readonly members: JsonObject }[];
  /** Objects that may carry external timestamps of this bundle. */
  readonly timestampPlaces: readonly (JsonObject | null)[];
  /** The original a reseal was made from, as it claims. */
  readonly original: JsonObject | null;
  /** Places that should hold the same value but differ. */
  readonly disagreements: readonly Finding[];
}

/** Attestation members around a bundle or at its top level. */
export const OUTER_EVIDENCE = [
  'receipt',
  'signature',
  'signatureB64Url',
  'attestation',
  'verificationEnvelope',
  'verificationEnvelopeSignature',
] as const;

/** The path of the copies in `meta.attestation`. */
export const IN_META = 'meta.attestation.';

interface Place {
  readonly path: string;
  readonly value: JsonValue | undefined;
}

/** Collects the evidence around a bundle; where a value occurs twice both must agree. @see docs/spec.md, "Packages" */
export function collectEvidence(bundle: JsonObject, packaging: JsonObject | null): Evidence {
  const meta = objectMember(bundle, 'meta');
  const outer = packaging ?? bundle;
  const outerPath = packaging === null ? '' : 'package.';
  // In a lookup of a reseal the outer receipt and signature are the original's. The name of that member is a label:
  // around anything but a reseal it is one more value that differs.
  const isLookup = packaging !== null && present(packaging, 'resealedCertificateHash') !== undefined;
  const isLookupOfReseal = isLookup && member(bundle, 'bundleType') === RESEAL;
  const outerSigned = isLookupOfReseal ? null : outer;
  const metaAttestation = present(meta, 'attestation');
  const outerAttestation = present(outer, 'attestation');
  const inMeta = isJsonObject(metaAttestation) ? metaAttestation : null;
  const inOuter = isJsonObject(outerAttestation) ? outerAttestation : null;
  const outerCopies = isLookupOfReseal ? null : inOuter;

  const disagreements: Finding[] = [];
  const agreed = (...places: readonly Place[]): JsonValue | undefined => {
    const found = places.filter(({ value }) => value !== undefined);
    const [first, ...others] = found;
    for (const other of others) {
      if (first !== undefined && !isSameJson(first.value ?? null, other.value ?? null)) {
        disagreements.push(differs(other.path, first.path));
      }
    }
    return first?.value;
  };

  const receipt = agreed(
    { path: 'meta.attestation.receipt', value: receiptIn(inMeta) },
    { path: `${outerPath}receipt`, value: present(outerSigned, 'receipt') },
    { path: `${outerPath}attestation.receipt`, value: receiptIn(outerCopies) },
  );
  const signature = agreed(
    ...signaturesIn(inMeta, IN_META),
    ...signaturesIn(outerSigned, outerPath),
    ...signaturesIn(outerCopies, `${outerPath}attestation.`),
  );
  const envelope = agreed(
    { path: 'meta.verificationEnvelope', value: present(meta, 'verificationEnvelope') },
    { path: `${outerPath}verificationEnvelope`, value: present(outerSigned, 'verificationEnvelope') },
  );
  const envelopeSignature = agreed(
    { path: 'meta.verificationEnvelopeSignature', value: present(meta, 'verificationEnvelopeSignature') },
    { path: `${outerPath}verificationEnvelopeSignature`, value: present(outerSigned, 'verificationEnvelopeSignature') },
  );
  const original = objectMember(objectMember(meta, 'provenance'), 'original');
  if (isLookupOfReseal) {
    disagreements.push(...originalDisagreements(packaging, inOuter, original, bundle));
  }
  if (inMeta !== null) {
    const compare = (names: readonly string[], place: JsonObject, path: string): void => {
      disagreements.push(...sharedNameDisagreements(inMeta, names, place, path));
    };
    if (inOuter !== null) {
      compare(isLookupOfReseal ? SHARED_WITH_ORIGINAL : Object.keys(inOuter), inOuter, `${outerPath}attestation`);
    }
    if (packaging !== null) compare(isLookupOfReseal ? SHARED_WITH_ORIGINAL : REPEATED, packaging, 'package');
  }
  if (isLookup && !isLookupOfReseal) disagreements.push(differs('package.resealedCertificateHash', 'certificateHash'));

  const parts = [
    ...[metaAttestation, receipt, signature, envelope, envelopeSignature],
    ...OUTER_EVIDENCE.map((name) => present(outer, name)),
  ];
  return {
    isPresent: parts.some((part) => part !== undefined),
    receipt: isJsonObject(receipt) ? receipt : null,
    signature,
    envelope,
    envelopeSignature,
    attestation: inMeta ?? inOuter,
    copies: [
      ...(inMeta === null ? [] : [{ path: IN_META, members: inMeta }]),
      ...(outerCopies === null ? [] : [{ path: `${outerPath}attestation.`, members: outerCopies }]),
      ...(packaging === null || isLookupOfReseal ? [] : [{ path: outerPath, members: packaging }]),
    ],
    // The lookup of a reseal carries the timestamps of the original.
    timestampPlaces: [meta, inMeta, isLookupOfReseal ? null : packaging],
    original,
    disagreements,
  };
}

/** Whether there is a receipt at any place, of whatever type. */
export function holdsReceipt(bundle: JsonObject, packaging: JsonObject | null): boolean {
  const outer = packaging ?? bundle;
  const attestations = [objectMember(objectMember(bundle, 'meta'), 'attestation'), objectMember(outer, 'attestation')];
  return [present(outer, 'receipt'), ...attestations.map(receiptIn)].some((receipt) => receipt !== undefined);
}

/** Null means absent in responses that always have every member. */
function present(object: JsonObject | null, name: string): JsonValue | undefined {
  const value = object === null ? undefined : member(object, name);
  return value === null ? undefined : value;
}

function objectMember(object: JsonObject | null, name: string): JsonObject | null {
  const value = object === null ? undefined : member(object, name);
  return isJsonObject(value) ? value : null;
}

/** Both names of a signature. */
function signaturesIn(holder: JsonObject | null, path: string): readonly Place[] {
  return ['signature', 'signatureB64Url'].map((name) => ({ path: `${path}${name}`, value: present(holder, name) }));
}

/** The receipt of an attestation: its `receipt`, or, where that is absent, the receipt laid flat among its members. */
function receiptIn(attestation: JsonObject | null): JsonValue | undefined {
  if (attestation === null) return undefined;
  const receipt = present(attestation, 'receipt');
  if (receipt !== undefined) return receipt;
  const flat = (names: readonly string[]) =>
    pickPresent(
      attestation,
      names.filter((name) => present(attestation, name) !== undefined),
    );
  if (present(attestation, 'receiptVersion') !== undefined) return flat(LEGACY_RECEIPT_MEMBERS);
  return typeof member(attestation, 'timestamp') === 'string' ? flat(RECEIPT_MEMBERS.reseal) : undefined;
}

/** Members that are not compared by name: `timestamp` is always recomputed, never trusted. */
const COMPARED_ELSEWHERE: ReadonlySet<string> = new Set(['timestamp', 'receipt', 'signature', 'signatureB64Url']);

/** The members of `meta.attestation` that a package repeats. A name that both have by chance is not compared. */
const REPEATED = [
  'attestationId',
  'attestedAt',
  'bundleType',
  'certificateHash',
  'kid',
  'nodeId',
  'nodeRuntimeHash',
] as const;

/** The members that the attestations of a reseal and of its original share. */
const SHARED_WITH_ORIGINAL = ['attestationId', 'nodeRuntimeHash', 'protocolVersion'] as const;

function sharedNameDisagreements(
  left: JsonObject,
  names: readonly string[],
  right: JsonObject,
  rightPath: string,
): Finding[] {
  return names
    .filter(
      (name) =>
        !COMPARED_ELSEWHERE.has(name) && present(left, name) !== undefined && present(right, name) !== undefined,
    )
    .filter((name) => !isSameJson(left[name] ?? null, right[name] ?? null))
    .map((name) => differs(`${rightPath}.${name}`, `meta.attestation.${name}`));
}

/** The outer values of a reseal's lookup are copies of what `meta.provenance.original` holds. */
function originalDisagreements(
  packaging: JsonObject,
  summary: JsonObject | null,
  original: JsonObject | null,
  bundle: JsonObject,
): Finding[] {
  const receipt = objectMember(original, 'receipt');
  const signature = present(original, 'signature');
  const kid = present(receipt, 'kid') ?? present(receipt, 'attestorKeyId');
  const time = present(receipt, 'timestamp') ?? present(receipt, 'attestedAt');
  const copies: readonly (readonly [string, JsonValue | undefined])[] = [
    ['signature', signature],
    ['signatureB64Url', signature],
    ['certificateHash', present(original, 'certificateHash')],
    ['nodeId', present(receipt, 'nodeId')],
    ['kid', kid],
    ['attestorKeyId', kid],
    ['attestedAt', time],
    ['issuedAt', time],
  ];
  const compare = (
    name: string,
    outer: JsonValue | undefined,
    inner: JsonValue | undefined,
    at?: string,
  ): Finding[] => {
    if (outer === undefined || isSameJson(outer, inner ?? null)) return [];
    return [differs(`package.${name}`, at ?? `meta.provenance.original.${name}`)];
  };
  const compareIn = (place: JsonObject | null, stated: JsonValue | undefined, path: string): Finding[] => [
    ...compare(`${path}receipt`, stated, present(original, 'receipt')),
    ...copies.flatMap(([name, inner]) => compare(`${path}${name}`, present(place, name), inner)),
  ];
  const resealed = 'resealedCertificateHash';
  return [
    ...compareIn(packaging, present(packaging, 'receipt'), ''),
    ...compareIn(summary, receiptIn(summary), 'attestation.'),
    ...compare(resealed, present(packaging, resealed), present(bundle, 'certificateHash'), 'certificateHash'),
  ];
}

function differs(member: string, other: string): Finding {
  return { code: 'ATTESTATION_INVALID_SIGNATURE', member, detail: `differs from ${other}` };
}
