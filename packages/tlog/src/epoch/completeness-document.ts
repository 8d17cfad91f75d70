import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { hashText } from '../leaf/leaf.js';
import { parseHashText } from '../leaf/opening.js';
import { malformed } from '../tlog-error.js';
import type { EpochEnd } from './completeness.js';

/**
 * The document with which an operator proves a range of a tenant complete; the openings of its leaves are beside it.
 */
export interface CompletenessDocument {
  readonly tenantId: string;
  /** Of the receipts log. */
  readonly origin: string;
  /** Null: from the first leaf on. */
  readonly from: EpochEnd | null;
  readonly to: EpochEnd;
  /** Of the tenant's tree at `from`; empty without it. */
  readonly peaks: readonly Uint8Array[];
}

const COMPLETENESS_TYPE = 'svc.log-completeness.v1';
const MEMBERS = 'from,origin,peaks,tenantId,to,type';
const END_MEMBERS = 'entry,epoch,head,proof,siblings';
/** Maximum hashes of a path in the map, and of peaks of a tree. */
const MAX_HASHES = 256;

/** The document as JSON: hashes as `sha256:`, the epoch's entry as its text. */
export function formatCompleteness({ tenantId, origin, from, to, peaks }: CompletenessDocument): JsonObject {
  return {
    type: COMPLETENESS_TYPE,
    tenantId,
    origin,
    from: from === null ? null : formatEnd(from),
    to: formatEnd(to),
    peaks: peaks.map(hashText),
  };
}

function formatEnd({ epoch, entry, proof, head, siblings }: EpochEnd): JsonObject {
  return {
    epoch,
    entry: new TextDecoder().decode(entry),
    proof,
    head: { size: head.size, root: hashText(head.root) },
    siblings: siblings.map(hashText),
  };
}

/** Reads the document without judging it. @throws TlogError MALFORMED */
export function readCompleteness(value: JsonValue): CompletenessDocument {
  const document = objectWith(value, MEMBERS, 'completeness');
  const { type, from, to } = document;
  if (type !== COMPLETENESS_TYPE) throw malformed(`completeness: type must be ${COMPLETENESS_TYPE}`);
  return {
    tenantId: text(document, 'tenantId'),
    origin: text(document, 'origin'),
    from: from === null ? null : readEnd(from),
    to: readEnd(to),
    peaks: hashes(document, 'peaks'),
  };
}

function readEnd(value: JsonValue | undefined): EpochEnd {
  const end = objectWith(value, END_MEMBERS, 'completeness: an end');
  const head = objectWith(end['head'], 'root,size', 'completeness: head');
  return {
    epoch: count(end, 'epoch'),
    entry: new TextEncoder().encode(text(end, 'entry')),
    proof: text(end, 'proof'),
    head: { size: count(head, 'size'), root: parseHashText(head['root'], 'completeness: head.root') },
    siblings: hashes(end, 'siblings'),
  };
}

function objectWith(value: JsonValue | undefined, members: string, part: string): JsonObject {
  if (value === undefined || !isJsonObject(value) || Object.keys(value).sort().join() !== members) {
    throw malformed(`${part}: must have exactly the members ${members}`);
  }
  return value;
}

function text(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== 'string') throw malformed(`completeness: ${name} must be a string`);
  return value;
}

function count(object: JsonObject, name: string): number {
  const value = object[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw malformed(`completeness: ${name} must be an integer from 0`);
  }
  return value;
}

function hashes(object: JsonObject, name: string): readonly Uint8Array[] {
  const value = object[name];
  if (!isJsonArray(value) || value.length > MAX_HASHES) {
    throw malformed(`completeness: ${name} must be a list of at most 256 hashes`);
  }
  return value.map((hash) => parseHashText(hash, `completeness: ${name}`));
}
