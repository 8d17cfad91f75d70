import { elementsOf, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { readReceipt, type Receipt } from '../attest/receipt.js';
import type { TransparencyCode } from '../errors.js';
import type { Finding } from '../finding.js';
import type { Evidence } from './evidence.js';
import type { VerifyOptions } from './options.js';
import type { Transparency, TransparencyClaim, TransparencyVerifier } from './transparency-verifier.js';

/** A signed receipt, what its label must say, and objects that may hold proofs of it. */
export interface TransparencySubject {
  readonly receipt: JsonObject | null;
  readonly signature: JsonValue | undefined;
  readonly label: TransparencyClaim['label'];
  readonly places: readonly (JsonObject | null)[];
}

/** Maximum proofs checked per record: each costs signature checks. */
const MAX_PROOFS = 8;

const NOTHING = {
  origin: null,
  index: null,
  treeSize: null,
  loggedAfter: null,
  loggedBy: null,
  witnesses: [],
} as const;

export const NOT_CHECKED: Transparency = { ...NOTHING, status: 'not-checked', code: null, detail: null };

/** The receipt of a bundle, and that of the original which a reseal carries. */
export function transparencySubjects(
  bundle: JsonObject,
  packaging: JsonObject | null,
  { receipt, signature, original, timestampPlaces }: Evidence,
): readonly TransparencySubject[] {
  const bundleType = textOf(bundle, 'bundleType');
  const snapshot = member(bundle, 'snapshot');
  const meta = member(bundle, 'meta');
  const isRenewed = isJsonObject(meta) && Array.isArray(member(meta, 'attestationHistory'));
  const reading = receipt === null ? null : readReceipt(receipt).receipt;
  const own: TransparencySubject = {
    receipt,
    signature,
    label: {
      bundleType,
      appId: isJsonObject(snapshot) ? textOf(snapshot, 'appId') : null,
      kinds: kindsOf(reading, isRenewed),
    },
    places: timestampPlaces,
  };
  if (original === null) return [own];
  const isLookup = !timestampPlaces.includes(packaging);
  const ofOriginal = member(original, 'receipt');
  return [
    own,
    {
      receipt: isJsonObject(ofOriginal) ? ofOriginal : null,
      signature: member(original, 'signature'),
      // The original itself is not here, so its type and app cannot be compared.
      label: { bundleType: null, appId: null, kinds: [] },
      places: [original, isLookup ? packaging : null],
    },
  ];
}

function kindsOf(receipt: Receipt | null, isRenewed: boolean): readonly string[] {
  if (receipt === null) return [];
  const again = isRenewed ? ['again'] : [];
  if (receipt.scope === 'full') return ['certificate', ...again];
  return receipt.scope === 'hash-only' ? ['hash-only', ...again] : [receipt.scope];
}

/** The statement for a bundle without a receipt. */
export function absentTransparency({ transparency }: Pick<VerifyOptions, 'transparency'>): Transparency {
  return transparency == null ? NOT_CHECKED : fault('absent', 'LOG_PROOF_MISSING');
}

/**
 * Checks every log proof of the input.
 * @returns the most significant result: a label that does not fit, then inclusion, then the first fault
 */
export async function checkTransparency(
  subjects: readonly TransparencySubject[],
  { transparency: verify }: Pick<VerifyOptions, 'transparency'>,
): Promise<Transparency> {
  if (verify == null) return NOT_CHECKED;
  const claims = subjects.flatMap(claimsOf).slice(0, MAX_PROOFS);
  const found = await Promise.all(claims.map(async (claim) => check(claim, verify)));
  const [best] = [...found].sort((one, other) => rank(one) - rank(other));
  return best ?? absentTransparency({ transparency: verify });
}

async function check(claim: TransparencyClaim, verify: TransparencyVerifier): Promise<Transparency> {
  try {
    const found = await verify(claim);
    return { ...found, detail: found.code === null ? null : describeTransparency(found.code) };
  } catch {
    return fault('invalid', 'LOG_PROOF_MALFORMED');
  }
}

function fault(status: Transparency['status'], code: TransparencyCode): Transparency {
  return { ...NOTHING, status, code, detail: describeTransparency(code) };
}

function rank({ status, code }: Transparency): number {
  if (code === 'LOG_LABEL_MISMATCH') return 0;
  if (status === 'included') return code === null ? 1 : 2;
  return status === 'invalid' ? 3 : 4;
}

function claimsOf({ receipt, signature, label, places }: TransparencySubject): readonly TransparencyClaim[] {
  const reading = receipt === null ? null : readReceipt(receipt).receipt;
  if (reading === null || typeof signature !== 'string') return [];
  const claims: TransparencyClaim[] = [];
  for (const place of places) {
    const listed = place === null ? undefined : member(place, 'logProofs');
    const entries = elementsOf(listed);
    for (const entry of entries) {
      const proof = isJsonObject(entry) ? member(entry, 'proof') : undefined;
      const notBefore = isJsonObject(entry) ? member(entry, 'notBefore') : undefined;
      const claim: TransparencyClaim = {
        // A value that is not a text is reported as an invalid proof.
        proof: typeof proof === 'string' ? proof : '',
        notBefore: typeof notBefore === 'string' ? notBefore : null,
        receipt: reading.payload,
        signature,
        signedAt: reading.timestamp,
        label,
      };
      const isKnown = claims.some((known) => known.proof === claim.proof && known.notBefore === claim.notBefore);
      if (!isKnown) claims.push(claim);
      // A hostile certificate may list a million different ones.
      if (claims.length === MAX_PROOFS) return claims;
    }
  }
  return claims;
}

/** The unmet demand for a log, reported after the codes of the receipt. */
export function requiredLogFindings(
  { code, status }: Transparency,
  { requireLog }: Pick<VerifyOptions, 'requireLog'>,
): readonly Finding[] {
  if (requireLog !== true || status === 'included') return [];
  // Without a policy no proof can be judged, and the demand is not met.
  const unmet = code === null || code === 'LOG_LATE' ? 'LOG_UNKNOWN' : code;
  return [{ code: unmet, member: 'logProofs', detail: describeTransparency(unmet) }];
}

const SENTENCES: Readonly<Record<TransparencyCode, string>> = {
  LOG_PROOF_MISSING: 'has no proof that a transparency log holds the receipt',
  LOG_PROOF_MALFORMED: 'is not in the form of a proof, an opening or a checkpoint',
  LOG_UNKNOWN: 'is of a log that the policy does not name',
  LOG_SIGNATURE_INVALID: 'has a signature of a log or witness of the policy that does not verify',
  LOG_INCLUSION_INVALID: 'does not show this receipt at its place in the log',
  LOG_LABEL_MISMATCH: 'files the receipt under another time, app, type or kind than the certificate has',
  LOG_QUORUM_NOT_MET: 'has too few witnesses of the policy',
  LOG_TIME_CONFLICT: 'was witnessed before the time that the receipt states',
  LOG_BACKDATED: 'entered the log too late: the receipt was dated back, or kept out of the log',
  LOG_LATE: 'was witnessed late, and nothing shows that it was logged in time',
};

/** The sentence for a code about the proofs of a record. */
export function describeTransparency(code: TransparencyCode): string {
  return SENTENCES[code];
}

function textOf(object: JsonObject, name: string): string | null {
  const value = member(object, name);
  return typeof value === 'string' ? value : null;
}
