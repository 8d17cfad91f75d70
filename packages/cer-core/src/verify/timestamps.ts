import { elementsOf, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { formOf, jcsV1 } from '../profiles.js';
import { isSha256Hash } from '../hash.js';
import { decodeHash, timestampDigest } from './timestamp-digest.js';
import type { SoundTimestamp, TimestampClaim, TimestampFinding, TimestampVerifier } from './timestamp-verifier.js';

/** Data that tokens may cover, and objects that may hold tokens. */
export interface TimestampSources {
  readonly receipt: JsonObject | null;
  readonly signature: JsonValue | undefined;
  /** The certificateHash or projectHash as stated. */
  readonly hash: JsonValue | undefined;
  /** Objects that may have `timestamp` and `timestamps` of section "External timestamps". */
  readonly places: readonly (JsonObject | null)[];
}

/** Maximum tokens checked per record: a record has one or two, and each costs signature checks. */
const MAX_TOKENS = 8;

/**
 * Checks every external timestamp of the input. Its own `status` and `covers` are not trusted.
 * @returns the one to show first: a verified one over the receipt before any other
 * @param verify null: tokens are not looked at, and the finding says that there are some
 * @see docs/spec.md, "External timestamps"
 */
export async function checkTimestamps(
  { receipt, signature, hash, places }: TimestampSources,
  verify: TimestampVerifier | null,
): Promise<readonly TimestampFinding[]> {
  const tokens = collectTokens(places);
  if (tokens.length === 0) return [];
  if (verify === null) return [{ status: 'not-checked' }];
  const candidates = [...receiptDigest(receipt, signature), ...contentDigests(hash)];
  const checked = await Promise.all(tokens.map(async (token) => check({ ...token, candidates }, verify)));
  return [...checked].sort((left, right) => rank(left) - rank(right));
}

/** Those that prove when the receipt was signed. */
export function timestampsOfReceipt(checked: readonly TimestampFinding[]): readonly SoundTimestamp[] {
  return checked.filter(
    (timestamp): timestamp is SoundTimestamp => timestamp.status === 'verified' && timestamp.covers === 'receipt',
  );
}

async function check(claim: TimestampClaim, verify: TimestampVerifier): Promise<TimestampFinding> {
  try {
    return await verify(claim);
  } catch {
    return { status: 'invalid', detail: 'the token could not be checked' };
  }
}

function rank(timestamp: TimestampFinding): number {
  if (timestamp.status === 'invalid' || timestamp.status === 'not-checked') return 3;
  if (timestamp.status === 'untrusted') return 2;
  return timestamp.covers === 'receipt' ? 0 : 1;
}

interface Token {
  readonly token: string;
  readonly inclusion: JsonValue | undefined;
}

/** `timestamp` repeats the token of an entry of `timestamps`, which alone may state its position in a batch. */
function collectTokens(places: readonly (JsonObject | null)[]): readonly Token[] {
  const found: (Token & { readonly form: string | null })[] = [];
  const add = (value: JsonValue | undefined, isRepetition: boolean): void => {
    if (found.length >= MAX_TOKENS || !isJsonObject(value)) return;
    const token = member(value, 'token');
    if (member(value, 'type') !== 'rfc3161' || typeof token !== 'string') return;
    const inclusion = member(value, 'inclusion') ?? undefined;
    const form = formOf(inclusion ?? null);
    const isKnown = found.some(
      (other) =>
        other.token === token && ((isRepetition && inclusion === undefined) || (form !== null && other.form === form)),
    );
    if (!isKnown) found.push({ token, inclusion, form });
  };
  for (const place of places) {
    const listed = place === null ? undefined : member(place, 'timestamps');
    const entries = elementsOf(listed);
    for (const entry of entries) add(entry, false);
  }
  for (const place of places) if (place !== null) add(member(place, 'timestamp'), true);
  return found;
}

function receiptDigest(receipt: JsonObject | null, signature: JsonValue | undefined): TimestampClaim['candidates'] {
  if (receipt === null || typeof signature !== 'string') return [];
  try {
    return [{ covers: 'receipt', digest: timestampDigest(timestampedText(receipt, signature)) }];
  } catch {
    // A receipt without canonical form was never timestamped.
    return [];
  }
}

/** The text whose SHA-256 is timestamped: receipt and signature together, so that the time is that of the signing. */
export function timestampedText(receipt: JsonObject, signature: string): string {
  return jcsV1.canonicalize({ receipt, signature });
}

/** Over the hash itself, or over its text. */
function contentDigests(hash: JsonValue | undefined): TimestampClaim['candidates'] {
  if (!isSha256Hash(hash)) return [];
  return [
    { covers: 'content', digest: decodeHash(hash) },
    { covers: 'content', digest: timestampDigest(hash) },
  ];
}
