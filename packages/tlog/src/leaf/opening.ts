import {
  elementsOf,
  isJsonArray,
  isJsonObject,
  jcsV1,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '@cer/canonical-json';
import { decodeBase64Url, decodeHex } from '@cer/keys';
import { HASH_BYTES, leafHash } from '../merkle/hash.js';
import { malformed } from '../tlog-error.js';
import { commitLabel, commitReceipt, entryOf, LEAF_KINDS, LEAF_TYPE, type LeafKind, type LeafLabel } from './leaf.js';

/** The content of a leaf that its reader sees. */
export type Opening =
  | { readonly form: 'public'; readonly receiptSalt: Uint8Array; readonly tenantCommitment: Uint8Array }
  | {
      readonly form: 'owner';
      readonly receiptSalt: Uint8Array;
      readonly tenantSalt: Uint8Array;
      readonly label: LeafLabel;
    }
  | {
      readonly form: 'label';
      readonly receiptCommitment: Uint8Array;
      readonly tenantSalt: Uint8Array;
      readonly label: LeafLabel;
    }
  | { readonly form: 'erased'; readonly leafHash: Uint8Array };

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

const MAX_DELETED_RANGES = 100;
const MAX_OPENING_DEPTH = 6;
const LABEL_MEMBERS = ['appId', 'at', 'bundleType', 'kind', 'number', 'tenant'];

/** Members of each form beside `type`, sorted. */
const FORMS: readonly (readonly [form: Opening['form'], members: readonly string[]])[] = [
  ['public', ['receiptSalt', 'tenantCommitment']],
  ['owner', ['label', 'receiptSalt', 'tenantSalt']],
  ['label', ['label', 'receiptCommitment', 'tenantSalt']],
  ['erased', ['leafHash']],
];

/** Reads an opening from its text, which is canonical. @throws TlogError MALFORMED */
export function parseOpening(text: Uint8Array | string): Opening {
  let value: JsonValue;
  try {
    value = parseJson(text, { maxDepth: MAX_OPENING_DEPTH });
  } catch (cause) {
    throw malformed('opening: must be strict JSON', cause);
  }
  const opening = readOpening(value);
  const written = typeof text === 'string' ? text : utf8.decode(text);
  if (jcsV1.canonicalize(value) !== written) throw malformed('opening: must be canonical JSON');
  return opening;
}

/** Reads an opening that was parsed already. @throws TlogError MALFORMED for other members than one form has */
export function readOpening(value: JsonValue): Opening {
  if (!isJsonObject(value) || value['type'] !== LEAF_TYPE) throw malformed(`opening: type must be ${LEAF_TYPE}`);
  const names = Object.keys(value)
    .filter((name) => name !== 'type')
    .sort();
  const form = FORMS.find(([, members]) => members.join() === names.join())?.[0];
  switch (form) {
    case 'public':
      return { form, receiptSalt: salt(value, 'receiptSalt'), tenantCommitment: hash(value, 'tenantCommitment') };
    case 'owner':
      return {
        form,
        receiptSalt: salt(value, 'receiptSalt'),
        tenantSalt: salt(value, 'tenantSalt'),
        label: label(value),
      };
    case 'label':
      return {
        form,
        receiptCommitment: hash(value, 'receiptCommitment'),
        tenantSalt: salt(value, 'tenantSalt'),
        label: label(value),
      };
    case 'erased':
      return { form, leafHash: hash(value, 'leafHash') };
    case undefined:
      throw malformed('opening: its members are those of no form');
  }
}

/**
 * The leaf hash that an opening leads to.
 * @param digest of the receipt (or deletion), for the forms that commit to it; null where only the label is opened
 * @returns null when the form needs a digest and there is none
 */
export function leafHashOfOpening(opening: Opening, digest: Uint8Array | null): Uint8Array | null {
  if (opening.form === 'erased') return opening.leafHash;
  const receiptCommitment =
    opening.form === 'label' ? opening.receiptCommitment : digest && commitReceipt(opening.receiptSalt, digest);
  if (receiptCommitment === null) return null;
  const tenantCommitment =
    opening.form === 'public' ? opening.tenantCommitment : commitLabel(opening.tenantSalt, opening.label);
  return leafHash(entryOf(receiptCommitment, tenantCommitment));
}

function label(opening: JsonObject): LeafLabel {
  const value = opening['label'];
  if (value === undefined || !isJsonObject(value)) throw malformed('opening: label must be an object');
  const { appId, at, bundleType, kind, number, tenant, deletes } = value;
  const names = Object.keys(value)
    .filter((name) => name !== 'deletes')
    .sort();
  if (names.join() !== LABEL_MEMBERS.join()) throw malformed('opening: label must have exactly its members');
  if (!isTextOrNull(appId) || !isTextOrNull(bundleType) || typeof at !== 'string') {
    throw malformed('opening: label has a member of another type');
  }
  if (!isKind(kind)) throw malformed('opening: label.kind is not known');
  if (!isNumber(number)) throw malformed('opening: label.number must be an integer from 1');
  const common = { appId, at, bundleType, kind, number, tenant: tenantOf(tenant) };
  if ((kind === 'deletion') !== (deletes !== undefined)) {
    throw malformed('opening: label.deletes belongs to deletions, and to them only');
  }
  return deletes === undefined ? common : { ...common, deletes: ranges(deletes) };
}

function tenantOf(value: JsonValue | undefined): string {
  if (typeof value !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(value)) {
    throw malformed('opening: label.tenant must be a hash');
  }
  return value;
}

function ranges(value: JsonValue): (readonly [number, number])[] {
  if (!isJsonArray(value) || value.length === 0 || value.length > MAX_DELETED_RANGES) {
    throw malformed('opening: label.deletes must have 1 to 100 ranges');
  }
  let before = 0;
  return value.map((range) => {
    const [first, last, ...more] = elementsOf(range);
    if (!isNumber(first) || !isNumber(last) || more.length > 0 || first <= before || last < first) {
      throw malformed('opening: label.deletes must be ascending ranges of numbers');
    }
    before = last;
    return [first, last] as const;
  });
}

function isKind(value: JsonValue | undefined): value is LeafKind {
  return LEAF_KINDS.some((kind) => kind === value);
}

function isNumber(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

function salt(opening: JsonObject, name: string): Uint8Array {
  const value = opening[name];
  try {
    const bytes = typeof value === 'string' ? decodeBase64Url(value) : null;
    if (bytes?.length === HASH_BYTES) return bytes;
  } catch (cause) {
    throw malformed(`opening: ${name} must be base64url`, cause);
  }
  throw malformed(`opening: ${name} must be base64url of 32 bytes`);
}

function hash(opening: JsonObject, name: string): Uint8Array {
  return parseHashText(opening[name], `opening: ${name}`);
}

/** Reads `sha256:` and 64 lower-case hex digits. @throws TlogError MALFORMED */
export function parseHashText(value: JsonValue | undefined, part: string): Uint8Array {
  if (typeof value !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(value)) throw malformed(`${part} must be a hash`);
  return decodeHex(value.slice('sha256:'.length));
}
