import { isJsonObject, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { deletionDigest, receiptDigest } from '../leaf/leaf.js';
import { parseHashText, readOpening } from '../leaf/opening.js';
import { malformed } from '../tlog-error.js';
import type { RangeLeaf } from './range-check.js';

/**
 * Reads one line of openings: `{number, opening}`, and what an owner's opening commits to: `digest` of a receipt that is
 * handed over elsewhere, `receipt` and `signature`, or `deletion` `{auditHash, deletes, type}`.
 * @throws TlogError MALFORMED
 */
export function readRangeLine(value: JsonValue): RangeLeaf {
  if (!isJsonObject(value)) throw malformed('opening line: must be an object');
  const { number, opening } = value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1 || opening === undefined) {
    throw malformed('opening line: must have number and opening');
  }
  const read = readOpening(opening);
  if (read.form !== 'owner') return { number, opening: read, digest: null, shown: null };
  const { receipt, signature, deletion, digest } = value;
  if (receipt !== undefined) {
    if (!isJsonObject(receipt) || typeof signature !== 'string')
      throw malformed('opening line: receipt needs signature');
    return { number, opening: read, digest: receiptDigest(receipt, signature), shown: 'receipt' };
  }
  if (deletion !== undefined) {
    return { number, opening: read, digest: digestOfDeletion(deletion, read.label.deletes ?? []), shown: 'deletion' };
  }
  const known = digest === undefined ? null : parseHashText(digest, 'opening line: digest');
  return { number, opening: read, digest: known, shown: null };
}

function digestOfDeletion(value: JsonValue, deletes: readonly (readonly [number, number])[]): Uint8Array {
  const deletion: JsonObject = isJsonObject(value) ? value : {};
  const { auditHash, type } = deletion;
  if (typeof auditHash !== 'string' || type !== 'svc.log-deletion.v1') {
    throw malformed('opening line: deletion must be auditHash, deletes and its type');
  }
  // The numbers are those of the label: a statement about others leads to another leaf.
  return deletionDigest(auditHash, deletes);
}
