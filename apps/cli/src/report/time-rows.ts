import { isJsonObject, member } from '@cer/canonical-json';
import type { Evaluation, KeyRescue, ReportedTimestamp } from '@cer/cer-core/verify';
import { printable } from '../printable.js';
import type { Row } from './lay-out.js';
import { statedTimes } from './producer-statements.js';

/** Each time with its source: the node, an authority that the reader pinned, the producer, this computer. */
export function timeRows(evaluation: Evaluation): readonly Row[] {
  const { signed, bundle, isHashOnly, timestamp, transparency, verifiedAt } = evaluation;
  const stated = isHashOnly ? null : statedTimes(bundle);
  const entry = (label: string, time: string | null | undefined, by: string): readonly Row[] =>
    typeof time === 'string' ? [[label, `${printable(time)} (${by})`]] : [];
  const isWitnessed = timestamp?.status === 'verified' && timestamp.covers === 'receipt';
  return [
    ...entry(
      'Signed',
      signed?.attestedAt,
      isWitnessed ? "the node's own clock" : "the node's own clock; no third party witnessed it",
    ),
    ...witnessRows(evaluation),
    ...(transparency.status === 'not-checked' && hasListed(bundle, 'logProofs') ? UNCHECKED_LOG : []),
    ...entry('Created', stated?.createdAt, 'stated by the producer'),
    ...entry('Executed', stated?.timestamp, 'stated by the producer'),
    ...entry('Verified', verifiedAt, "this computer's clock"),
  ];
}

const UNCHECKED_LOG: readonly Row[] = [['Log proof', 'present, of a transparency log; --log-policy FILE checks it']];

/** The time that a timestamping authority confirmed, and the revoked key that this rescues. */
export function witnessRows({ timestamp, keyRescue }: Pick<Evaluation, 'timestamp' | 'keyRescue'>): readonly Row[] {
  return [...timestampRows(timestamp), ...(keyRescue === null ? [] : rescueRows(keyRescue))];
}

function timestampRows(timestamp: ReportedTimestamp | null): readonly Row[] {
  if (timestamp?.type !== 'rfc3161') return [];
  const { status, covers, detail = '', genTime = '', provider = '' } = timestamp;
  if (status === 'not-checked') return [['Timestamp', 'present, from a third party; --tsa-roots FILE checks it']];
  if (status === 'invalid') return [['Timestamp', `invalid: ${printable(detail)}`]];
  const by = `by ${printable(provider)}`;
  if (status === 'untrusted') {
    return [['Timestamp', `${printable(genTime)} (${by}, under no root that you pinned: it proves nothing)`]];
  }
  const what =
    covers === 'receipt' ? 'it saw the signature then at the latest' : 'it saw the content, and not the signature';
  return [['Witnessed', `${printable(genTime)} (${by}: ${what})`]];
}

/** Why a signature under a revoked key counts. */
function rescueRows({ before, limit, revocationReason }: KeyRescue): readonly Row[] {
  const since = before === 'compromisedSince' ? 'not to be trusted since' : 'revoked at';
  const reason = revocationReason === null ? '' : ` (${printable(revocationReason)})`;
  return [['Key', `${since} ${printable(limit)}${reason}; the timestamp shows that the signature is older`]];
}

function hasListed(bundle: Evaluation['bundle'], name: 'logProofs'): boolean {
  const meta = bundle === null ? undefined : member(bundle, 'meta');
  const listed = isJsonObject(meta) ? member(meta, name) : undefined;
  return Array.isArray(listed) && listed.length > 0;
}
