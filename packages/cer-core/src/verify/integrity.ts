import { appendPath, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import type { LayoutContext } from '../bundle-types/layout.js';
import { hasControlCharacter, MAX_LABEL_LENGTH } from '../schema/rules.js';
import { checkToolEvidence } from '../bundle-types/tool-calls.js';
import { isSha256Hash, sha256, type Sha256Hash } from '../hash.js';
import { canonicalizationFinding, inOrder, schemaFinding, type Finding } from '../finding.js';
import { holdsReceipt } from './evidence.js';
import { outcomeOf, type LayerOutcome } from './layer.js';
import type { Subject } from './subject.js';

/** Layer 1 and its intermediate results. */
export interface Integrity {
  readonly outcome: LayerOutcome;
  readonly computedCertificateHash: Sha256Hash | null;
  /** The hashed text, which the envelope reuses. */
  readonly hashed: { readonly projection: JsonObject; readonly canonical: string } | null;
}

/**
 * Layer 1: form, then hashes of the values in the bundle, then `certificateHash` over the whitelist projection.
 * Findings come in the order of precedence of their codes. @see docs/spec.md, "Layer 1: integrity"
 */
export function checkIntegrity(subject: Subject): Integrity {
  const { bundle, reading, protocol, snapshot } = subject;
  const unread = [...subject.findings, ...checkEvidenceForm(subject)];
  if (reading !== null && reading.layout === null) return checkHashOnly(bundle, unread);
  if (reading?.layout == null || protocol === null || snapshot === null) {
    return { outcome: outcomeOf(unread), computedCertificateHash: null, hashed: null };
  }

  const { layout, resealed } = reading;
  const context: LayoutContext = { bundle, snapshot, protocol, resealed };
  const form = [
    ...unread,
    ...checkVersion(bundle, layout.version),
    ...layout.checkSchema(context),
    ...checkSnapshotKeys(snapshot, snapshot === bundle),
    ...checkRequiredMembers(context, layout.requiredSnapshotMembers(protocol)),
    ...layout.checkProtectedSet(context),
    ...checkCertificateHashForm(bundle),
    ...layout.checkHashForms(context),
  ];

  const hashing = hashProjection(context, layout.projectForHash(bundle));
  const values = form.length > 0 ? [] : layout.checkValueHashes(context);
  const stated = member(bundle, 'certificateHash');
  const mismatch: Finding[] =
    hashing.hash !== null && hashing.hash !== stated && isSha256Hash(stated)
      ? [
          {
            code: 'CERTIFICATE_HASH_MISMATCH',
            member: 'certificateHash',
            detail: `does not match the content: one of ${Object.keys(hashing.projection).join(', ')} or the hash itself was changed`,
            expected: stated,
            computed: hashing.hash,
          },
        ]
      : [];
  const unhashable = hashing.findings.filter(({ member: at }) => !values.some((finding) => finding.member === at));
  return {
    outcome: outcomeOf(
      // Checks are interleaved: a tool's input is checked after another's output.
      inOrder([...form, ...unhashable, ...values, ...mismatch, ...(form.length > 0 ? [] : checkToolEvidence(context))]),
    ),
    computedCertificateHash: hashing.hash,
    hashed: hashing.canonical === null ? null : { projection: hashing.projection, canonical: hashing.canonical },
  };
}

/**
 * Evidence that cannot be read must not be skipped over in favour of a receipt at another place. Without one, layer 2
 * reports that the receipt is missing.
 */
function checkEvidenceForm({ bundle, packaging }: Subject): Finding[] {
  const meta = member(bundle, 'meta');
  if (meta !== undefined && !isJsonObject(meta)) return [schemaFinding('meta', 'must be an object')];
  const inner = isJsonObject(meta) ? (member(meta, 'attestation') ?? undefined) : undefined;
  const outer = member(packaging ?? bundle, 'attestation') ?? undefined;
  if (!holdsReceipt(bundle, packaging)) return [];
  const isFaulty = (value: JsonValue | undefined): boolean => value !== undefined && !isJsonObject(value);
  return [
    ...(isFaulty(inner) ? [schemaFinding('meta.attestation', 'must be an object')] : []),
    ...(isFaulty(outer)
      ? [schemaFinding(packaging === null ? 'attestation' : 'package.attestation', 'must be an object')]
      : []),
  ];
}

function checkHashOnly(bundle: JsonObject, unread: readonly Finding[]): Integrity {
  const findings = [
    ...unread,
    ...checkVersion(bundle, '0.1'),
    ...(member(bundle, 'snapshot') === null ? [] : [schemaFinding('snapshot', 'must be null')]),
    ...checkCertificateHashForm(bundle),
  ];
  return { outcome: outcomeOf(findings), computedCertificateHash: null, hashed: null };
}

/** A layout that defines no versions accepts any. */
function checkVersion(bundle: JsonObject, version: string): Finding[] {
  if (version === '' || member(bundle, 'version') === version) return [];
  return [schemaFinding('version', `must be "${version}"`, 'SCHEMA_VERSION_UNSUPPORTED')];
}

function checkSnapshotKeys(snapshot: JsonObject, isFlat: boolean): Finding[] {
  if (isFlat) return [];
  return Object.keys(snapshot)
    .filter((name) => name.length > MAX_LABEL_LENGTH || hasControlCharacter(name))
    .map((name) => ({
      code: 'SCHEMA_KEY_INVALID',
      member: appendPath('snapshot', name),
      detail: `a member name must have at most ${MAX_LABEL_LENGTH} characters and no control characters`,
    }));
}

/** A flat record has all of them, or it is not read as one. */
function checkRequiredMembers({ snapshot, resealed }: LayoutContext, names: readonly string[]): Finding[] {
  if (resealed) return [];
  return names
    .filter((name) => member(snapshot, name) === undefined)
    .map((name) => ({ code: 'PROTECTED_FIELD_MISSING', member: `snapshot.${name}`, detail: 'is required' }));
}

function checkCertificateHashForm(bundle: JsonObject): Finding[] {
  const stated = member(bundle, 'certificateHash');
  if (isSha256Hash(stated)) return [];
  const rule = stated === undefined ? 'is required' : 'must be sha256: and 64 lower-case hex digits';
  return [{ code: 'INVALID_SHA256_FORMAT', member: 'certificateHash', detail: rule }];
}

interface Hashing {
  readonly projection: JsonObject;
  readonly canonical: string | null;
  readonly hash: Sha256Hash | null;
  readonly findings: readonly Finding[];
}

function hashProjection({ protocol }: LayoutContext, projection: JsonObject): Hashing {
  try {
    const canonical = protocol.profile.canonicalize(projection);
    return { projection, canonical, hash: sha256(canonical), findings: [] };
  } catch (error) {
    return { projection, canonical: null, hash: null, findings: [canonicalizationFinding(error)] };
  }
}
