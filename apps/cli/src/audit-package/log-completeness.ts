import { elementsOf, isJsonObject, JsonError, member, parseJson, type JsonValue } from '@cer/canonical-json';
import { isKnownToLog, type AuditPackageManifest } from '@cer/cer-core/logs';
import { encodeHex, parseTimestamp, secondsSince1970 } from '@cer/keys';
import { byteLines } from '@cer/ndjson';
import { DEFAULT_MMD_SECONDS, TlogError, type LogPolicy } from '@cer/tlog';
import {
  checkRange,
  countRange,
  readCompleteness,
  readRangeLine,
  verifyEpochEnd,
  type CompletenessDocument,
  type EndVerdict,
  type RangeLeaf,
} from '@cer/tlog/epoch';
import { leafHashOfOpening, type LeafLabel } from '@cer/tlog/leaf';
import { appendLeaves, EMPTY_FRONTIER, rootOfFrontier } from '@cer/tlog/merkle';
import { entryContent, wholeEntry } from './entry-content.js';
import type { LoggedReceipts } from './log-lines.js';
import { PackageRefused, type PackageFindings } from './package-finding.js';
import type { LineReading } from './record-lines.js';

/** The log's proof that a package is complete. */
export interface LogCompleteness {
  /**
   * `absent`: the package has no log files, no policy was pinned, or the question has a filter that the log does not
   * know.
   */
  readonly status: 'proven' | 'failed' | 'absent';
  /** The first and the last number of the range; null for an empty one. */
  readonly numbers: readonly [first: number, last: number] | null;
  /** Time after which the range begins; null: from the beginning. */
  readonly from: string | null;
  readonly provenUntil: string | null;
  /** Those of the policy that cosigned the end of the range, by the policy's names. */
  readonly witnesses: readonly string[];
  /** Of the tenant's tree at the end of the range; null when nothing was looked at. */
  readonly head: TenantHead | null;
  readonly leaves: number;
  readonly certificates: number;
  readonly deleted: number;
  readonly elsewhere: number;
}

/** The head of a tenant's tree, as an earlier check accepted it. */
export interface TenantHead {
  readonly size: number;
  /** `sha256:` and 64 lower-case hex digits. */
  readonly root: string;
}

export const NO_LOG: LogCompleteness = {
  status: 'absent',
  numbers: null,
  from: null,
  provenUntil: null,
  witnesses: [],
  head: null,
  leaves: 0,
  certificates: 0,
  deleted: 0,
  elsewhere: 0,
};

const DOCUMENT = 'log/completeness.json';
const STATEMENT = 'log/statement.json';
const OPENINGS = /^log\/openings\/\d{6,}\.ndjson$/;
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;
/** The range must begin this much before the question, in seconds. */
const MARGIN_S = 60;

/**
 * Whether the package holds everything that the log holds of this tenant and question.
 * @see docs/spec.md, "Completeness"
 */
export async function checkLogCompleteness(
  reading: LineReading,
  manifest: AuditPackageManifest | null,
  receipts: LoggedReceipts,
  policy: LogPolicy | null,
  known: TenantHead | null = null,
): Promise<LogCompleteness> {
  const { entries, findings, zip } = reading;
  const entry = entries.get(DOCUMENT);
  if (manifest === null || entry === undefined || policy === null || !isKnownToLog(manifest.query)) return NO_LOG;
  try {
    const document = readCompleteness(parseJson(await wholeEntry(zip, entry, MAX_DOCUMENT_BYTES, findings)));
    const promise = await readStatement(reading, document.origin);
    return await checkDocument({ reading, manifest, receipts, policy, document, known, ...promise });
  } catch (error) {
    if (!(error instanceof TlogError || error instanceof JsonError)) throw error;
    findings.add('LOG_RANGE_INVALID', DOCUMENT, error.message);
    return { ...NO_LOG, status: 'failed' };
  }
}

type ProvenEnd = Extract<EndVerdict, { status: 'valid' }>;

interface Checked {
  readonly reading: LineReading;
  readonly manifest: AuditPackageManifest;
  readonly receipts: LoggedReceipts;
  readonly policy: LogPolicy;
  readonly document: CompletenessDocument;
  readonly known: TenantHead | null;
  readonly since: number | null;
  readonly mmdSeconds: number;
}

async function checkDocument(checked: Checked): Promise<LogCompleteness> {
  const { reading, manifest, receipts, policy, document, known, since, mmdSeconds } = checked;
  const { findings } = reading;
  const { from, to, peaks, origin } = document;
  const before = findings.count;
  const owner = { nodeId: manifest.nodeId, tenantId: manifest.tenantId, origin };
  if (document.tenantId !== manifest.tenantId) findings.add('LOG_TENANT_MISMATCH', DOCUMENT, 'is of another tenant');

  const ends: (ProvenEnd | null)[] = [];
  for (const end of [from, to]) {
    const verdict = end === null ? null : await verifyEpochEnd(end, owner, policy);
    if (verdict?.status === 'invalid') findings.add(verdict.code, DOCUMENT, END_FAULTS[verdict.code]);
    ends.push(verdict?.status === 'valid' ? verdict : null);
  }
  const [first = null, last = null] = ends;
  const leaves = await readOpenings(reading);
  const fault = checkRange({ from: from?.head ?? null, to: to.head, peaks, leaves }, owner);
  if (fault !== null) findings.add(fault, DOCUMENT, 'the leaves are not all between both heads, in their order');

  if (known !== null && from === null && !extendsHead(leaves, known)) {
    findings.add(
      'LOG_TENANT_FORK',
      DOCUMENT,
      'the tree of the tenant does not extend the one that was accepted before',
    );
  }
  const asked = periodOf(manifest);
  const start = secondsOf(first?.epoch.to);
  if (from !== null && (start === null || asked.from === null || start > asked.from - MARGIN_S)) {
    findings.add('LOG_RANGE_INVALID', DOCUMENT, 'begins after the question does');
  }
  const provenUntil = secondsOf(last?.epoch.to);
  const { faults, logged, ...counts } = countRange(leaves, {
    isAsked: (label) => isAsked(label, manifest, asked),
    digests: receipts.digests,
    since,
    mmdSeconds,
  });
  for (const { code, number, detail } of faults) findings.add(code, `number ${String(number)}`, detail);
  if (provenUntil !== null) {
    const places = receipts.unlogged(logged, since ?? -Infinity, provenUntil - mmdSeconds);
    for (const place of places) findings.add('LOG_RECORD_UNLOGGED', place, 'has a receipt that the log does not hold');
  }
  const [one, end] = [leaves[0], leaves.at(-1)];
  return {
    status: findings.count === before ? 'proven' : 'failed',
    numbers: one === undefined || end === undefined ? null : [one.number, end.number],
    from: first?.epoch.to ?? null,
    provenUntil: last?.epoch.to ?? null,
    witnesses: last?.witnesses ?? [],
    head: { size: to.head.size, root: `sha256:${encodeHex(to.head.root)}` },
    ...counts,
  };
}

/** Whether the first leaves are those of an earlier head. */
function extendsHead(leaves: readonly RangeLeaf[], { size, root }: TenantHead): boolean {
  const hashes = leaves.slice(0, size).flatMap(({ opening, digest }) => leafHashOfOpening(opening, digest) ?? []);
  const reached = rootOfFrontier(appendLeaves(EMPTY_FRONTIER, hashes));
  return hashes.length === size && `sha256:${encodeHex(reached)}` === root;
}

const END_FAULTS = {
  LOG_EPOCH_INVALID: 'an epoch is not in the epochs log under the policy, or is of another node, log or place',
  LOG_HEAD_INVALID: 'the head of the tenant is not in the map of its epoch',
  LOG_RANGE_INVALID: 'the range is not proven',
  LOG_TENANT_MISMATCH: 'is of another tenant',
} as const;

/** All openings, whose files follow each other. @throws TlogError, JsonError, PackageRefused */
async function readOpenings({ zip, entries, maxBytes }: LineReading): Promise<readonly RangeLeaf[]> {
  const leaves: RangeLeaf[] = [];
  // Size and hash of each file are compared where all other entries are read.
  const unheard: Pick<PackageFindings, 'add'> = { add: () => undefined };
  for (const name of [...entries.keys()].filter((found) => OPENINGS.test(found)).sort()) {
    const entry = entries.get(name);
    if (entry === undefined) continue;
    for await (const lines of byteLines(entryContent(zip, entry, null, unheard), maxBytes)) {
      for (const { bytes, number } of lines) {
        const place = `${name}:${String(number)}`;
        if (bytes === null) throw new PackageRefused('PACKAGE_TOO_LARGE', place, 'the line is too long');
        leaves.push(readRangeLine(parseJson(bytes)));
      }
    }
  }
  return leaves;
}

/** The operator's promise about this log; the manifest's signature covers the statement. */
async function readStatement(
  { zip, entries, findings }: LineReading,
  origin: string,
): Promise<{ since: number | null; mmdSeconds: number }> {
  const entry = entries.get(STATEMENT);
  const none = { since: null, mmdSeconds: DEFAULT_MMD_SECONDS };
  if (entry === undefined) return none;
  const value = parseJson(await wholeEntry(zip, entry, MAX_DOCUMENT_BYTES, findings));
  const statement = isJsonObject(value) ? (member(value, 'statement') ?? value) : null;
  const listed = isJsonObject(statement) ? member(statement, 'logs') : undefined;
  const logs = elementsOf(listed);
  for (const log of logs) {
    if (!isJsonObject(log) || member(log, 'origin') !== origin) continue;
    const mmdSeconds = member(log, 'mmdSeconds');
    return {
      since: secondsOf(member(log, 'since')),
      mmdSeconds: typeof mmdSeconds === 'number' && mmdSeconds > 0 ? mmdSeconds : DEFAULT_MMD_SECONDS,
    };
  }
  return none;
}

interface Period {
  readonly from: number | null;
  readonly to: number | null;
}

function periodOf({ query }: AuditPackageManifest): Period {
  return { from: secondsOf(query.attestedFrom), to: secondsOf(query.attestedTo) };
}

/** Whether a leaf belongs to the question by its time, app and type; never by its kind. */
function isAsked({ at, appId, bundleType }: LeafLabel, { query }: AuditPackageManifest, { from, to }: Period): boolean {
  const seconds = secondsOf(at);
  return (
    (seconds === null || ((from === null || seconds >= from) && (to === null || seconds < to))) &&
    (query.appId === null || query.appId === appId) &&
    (query.bundleType === null || query.bundleType === bundleType)
  );
}

function secondsOf(time: JsonValue | undefined): number | null {
  const found = parseTimestamp(time);
  return found === null ? null : secondsSince1970(found);
}

/** The statement for a reader, or null where the log says nothing. */
export function logSentence(log: LogCompleteness): string | null {
  const { status, numbers, deleted, elsewhere, provenUntil, witnesses } = log;
  if (status !== 'proven') return null;
  const until = provenUntil ?? 'an unknown time';
  const says = confirmation(witnesses);
  if (numbers === null) return `${says} the log holds no number of this tenant in this period up to ${until}.`;
  const [first, last] = numbers;
  const gone =
    deleted === 0
      ? 'none was deleted'
      : deleted === 1
        ? '1 was deleted, nothing of it is known'
        : `${String(deleted)} were deleted, nothing of them is known`;
  const other = elsewhere === 0 ? '' : ` ${String(elsewhere)} ${elsewhere === 1 ? 'is' : 'are'} outside this question.`;
  return (
    `Numbers ${String(first)} to ${String(last)} of this tenant; ${gone}.${other} ` +
    `${says} there are no others up to ${until}.`
  );
}

function confirmation(witnesses: readonly string[]): string {
  if (witnesses.length === 0) return 'As the log alone states, since your policy asks for no witness,';
  const names = witnesses.join(', ');
  return witnesses.length === 1 ? `The witness ${names} confirms that` : `The witnesses ${names} confirm that`;
}
