import { elementsOf, isJsonObject, JsonError, member, type JsonObject } from '@cer/canonical-json';
import { encodeHex, parseTimestamp, secondsSince1970 } from '@cer/keys';
import { receiptDigest } from '@cer/tlog/leaf';
import { jsonObjectIn } from '../files/json-object.js';

/** Place of a receipt in the package, and the time of its first attestation. */
interface HandedOver {
  readonly place: string;
  /** Of the first attestation, in seconds since 1970. */
  readonly firstAttestedAt: number;
}

const HISTORY = Buffer.from('"attestationHistory"');

/** The receipts of a package, which the openings of its log must lead to. */
export class LoggedReceipts {
  /** Hex digests of all receipts, earlier ones of renewed records included. */
  readonly digests = new Set<string>();
  /** The records, by the digests of all of their receipts. */
  readonly #records: { readonly at: HandedOver; readonly digests: readonly string[] }[] = [];

  /** @param line of `receipts/` @param certificate its line of `certificates/` */
  add(place: string, line: JsonObject, certificate: Uint8Array): void {
    const first = parseTimestamp(member(line, 'firstAttestedAt'));
    const earlier = [...historyOf(certificate), ...originalsOf(line)];
    const digests = [line, ...earlier].map(digestOf).filter((digest) => digest !== null);
    for (const digest of digests) this.digests.add(digest);
    if (first !== null) this.#records.push({ at: { place, firstAttestedAt: secondsSince1970(first) }, digests });
  }

  /** Places of records that were first attested in this time and of whose receipts no leaf is known. */
  unlogged(logged: ReadonlySet<string>, from: number, until: number): readonly string[] {
    return this.#records
      .filter(({ at }) => at.firstAttestedAt >= from && at.firstAttestedAt < until)
      .filter(({ digests }) => !digests.some((digest) => logged.has(digest)))
      .map(({ at }) => at.place);
  }
}

function digestOf(signed: JsonObject): string | null {
  const [receipt, signature] = [member(signed, 'receipt'), member(signed, 'signature')];
  if (!isJsonObject(receipt) || typeof signature !== 'string') return null;
  try {
    return encodeHex(receiptDigest(receipt, signature));
  } catch (error) {
    // One without canonical form was never signed, and verification says so.
    if (error instanceof JsonError) return null;
    throw error;
  }
}

/** Earlier attestations of a renewed record; most lines have none, and are not parsed for it. */
function historyOf(certificate: Uint8Array): readonly JsonObject[] {
  if (!Buffer.from(certificate.buffer, certificate.byteOffset, certificate.length).includes(HISTORY)) return [];
  // One that is not JSON is reported where the certificate itself is verified.
  const value = jsonObjectIn(certificate);
  const meta = value === null ? undefined : member(value, 'meta');
  return isJsonObject(meta) ? attestationsIn(meta) : [];
}

/** Earlier attestations of a record of which the package has the reseal; those of other records hide nothing. */
function originalsOf(line: JsonObject): readonly JsonObject[] {
  const certificateHash = member(line, 'certificateHash');
  return attestationsIn(line).filter((attestation) => {
    const receipt = member(attestation, 'receipt');
    return isJsonObject(receipt) && member(receipt, 'certificateHash') === certificateHash;
  });
}

function attestationsIn(holder: JsonObject): readonly JsonObject[] {
  const history = member(holder, 'attestationHistory');
  const entries = elementsOf(history);
  return entries.flatMap((entry) => {
    const attestation = isJsonObject(entry) ? member(entry, 'attestation') : undefined;
    return isJsonObject(attestation) ? [attestation] : [];
  });
}
