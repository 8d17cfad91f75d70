import { malformed } from './timestamp-error.js';

// Signatures and hashes cover bytes, so the bytes must have exactly one reading. A lenient parser would accept several
// encodings of a length; this one accepts DER only, and all other parsing is built on it.

/** One DER element: its tag byte, its content, and all its original bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
  primitiveContext0: 0x80,
  primitiveContext1: 0x81,
} as const;

const CONSTRUCTED = 0x20;
const MAX_DEPTH = 24;
const MAX_ELEMENTS = 8000;

/**
 * Parses exactly one DER element and every element inside it.
 * @throws TimestampError TIMESTAMP_MALFORMED for indefinite or padded lengths, multi-byte tags, trailing bytes, a
 *   constructed encoding of a primitive type, or more nesting or elements than a token has
 */
export function readDer(bytes: Uint8Array): DerElement {
  const element = elementAt(bytes, 0);
  if (element.whole.length !== bytes.length) throw malformed('DER: bytes follow the element');
  assertDeep(element, 1, { left: MAX_ELEMENTS });
  return element;
}

/** The elements of a constructed element, in order. */
export function childrenOf({ tag, content }: DerElement): readonly DerElement[] {
  if ((tag & CONSTRUCTED) === 0) throw malformed('DER: an element that must be constructed is primitive');
  const children: DerElement[] = [];
  for (let at = 0; at < content.length;) {
    const child = elementAt(content, at);
    children.push(child);
    at += child.whole.length;
  }
  return children;
}

/**
 * The members of a SEQUENCE.
 * @throws TimestampError TIMESTAMP_MALFORMED naming it, for an element of another type
 */
export function membersOf(element: DerElement, name: string): readonly DerElement[] {
  if (element.tag !== TAG.sequence) throw malformed(`${name}: must be a SEQUENCE`);
  return childrenOf(element);
}

/**
 * Compares the tags of all children: the library takes a SET for a SEQUENCE, and what no signature covers could be either.
 * @param tags for each child, the tags that it may have
 * @throws TimestampError TIMESTAMP_MALFORMED naming the parent
 */
export function assertTags(children: readonly DerElement[], tags: readonly (readonly number[])[], name: string): void {
  const isExpected = ({ tag }: DerElement, at: number): boolean => tags[at]?.includes(tag) === true;
  if (children.length !== tags.length || !children.every(isExpected)) {
    throw malformed(`${name}: a member is missing or of another type`);
  }
}

/**
 * The child at an index, with the expected tag.
 * @throws TimestampError TIMESTAMP_MALFORMED, naming the expected child
 */
export function childAt(children: readonly DerElement[], index: number, tag: number, name: string): DerElement {
  const child = children[index];
  if (child?.tag !== tag) throw malformed(`${name}: is missing or of another type`);
  return child;
}

/**
 * An algorithm identifier: an object identifier, and parameters or none.
 * @throws TimestampError TIMESTAMP_MALFORMED naming it
 */
export function assertAlgorithm(element: DerElement | undefined, name: string): void {
  if (element === undefined) throw malformed(`${name}: is missing`);
  const parts = membersOf(element, name);
  readOid(childAt(parts, 0, TAG.oid, name));
  if (parts.length > 2) throw malformed(`${name}: has too many members`);
}

/** The text of an object identifier, such as `1.2.840.113549.1.7.2`. */
export function readOid({ content }: DerElement): string {
  const arcs: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw malformed('DER: an object identifier has too large an arc');
    if ((byte & 0x80) === 0) {
      arcs.push(value);
      value = 0;
    }
  }
  const [first = 0, ...rest] = arcs;
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...rest].join('.');
}

export function isSameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

function elementAt(bytes: Uint8Array, start: number): DerElement {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw malformed('DER: ends inside an element');
  if ((tag & 0x1f) === 0x1f) throw malformed('DER: a tag has several bytes');
  let at = start + 2;
  let length = first;
  if (first >= 0x80) {
    const octets = first & 0x7f;
    if (octets === 0 || octets > 4) throw malformed('DER: a length is indefinite or too long');
    length = 0;
    for (let read = 0; read < octets; read += 1) length = length * 256 + (bytes[at + read] ?? 0);
    at += octets;
    if (length < 0x80 || (octets > 1 && length < 2 ** (8 * (octets - 1)))) throw malformed('DER: a length is padded');
  }
  const end = at + length;
  if (end > bytes.length) throw malformed('DER: ends inside an element');
  return { tag, content: bytes.subarray(at, end), whole: bytes.subarray(start, end) };
}

/** The one form of each value of these types. */
const FORMS: ReadonlyMap<number, (content: Uint8Array) => boolean> = new Map([
  [TAG.boolean, ([value, ...rest]: Uint8Array) => rest.length === 0 && (value === 0 || value === 0xff)],
  [TAG.integer, isShortest],
  [TAG.bitString, (content: Uint8Array) => (content[0] ?? 8) <= (content.length > 1 ? 7 : 0)],
  [0x05, ({ length }: Uint8Array) => length === 0],
  [
    TAG.oid,
    (content: Uint8Array) =>
      (content.at(-1) ?? 0x80) < 0x80 && content.every((byte, at) => byte !== 0x80 || (content[at - 1] ?? 0) >= 0x80),
  ],
]);

/** Whether the content of an INTEGER has no byte that says nothing. */
export function isShortest([first, second]: Uint8Array): boolean {
  if (first === undefined || second === undefined) return first !== undefined;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

function assertDeep(element: DerElement, depth: number, budget: { left: number }): void {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_DEPTH) throw malformed('DER: has more elements or levels than a token has');
  const { tag, content } = element;
  if (FORMS.get(tag)?.(content) === false) throw malformed('DER: a value is not in its one form');
  if ((tag & CONSTRUCTED) !== 0) {
    const isUniversal = (tag & 0xc0) === 0;
    if (isUniversal && tag !== TAG.sequence && tag !== TAG.set) throw malformed('DER: a primitive type is in pieces');
    for (const child of childrenOf(element)) assertDeep(child, depth + 1, budget);
  }
}
