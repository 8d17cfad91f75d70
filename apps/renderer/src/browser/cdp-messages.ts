/**
 * The messages of the DevTools pipe in its CBOR mode: RFC 8949 as Chromium restricts it. Every map and list is of
 * indefinite length and lies in an envelope, which says its length in bytes. A text is UTF-8, or UTF-16 as a byte string;
 * bytes have the tag of base64.
 */

export type CdpParams = Readonly<Record<string, unknown>>;

/** A member of a decoded map; undefined where the value is not a map or lacks it. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Members of a map that many messages send, encoded once. */
export interface EncodedMembers {
  readonly members: Buffer;
}

/** The browser's message cannot be read. */
export class CdpMessageError extends Error {
  override readonly name = 'CdpMessageError';
}

/** An envelope's tag and the form of its length. */
const ENVELOPE = Buffer.of(0xd8, 0x18, 0x5a);
/** Bytes of an envelope's head: tag, form, and the length in four bytes, big-endian. */
export const HEAD_BYTES = ENVELOPE.length + 4;
const [MAP, LIST, END, BYTES] = [0xbf, 0x9f, 0xff, 0xd6];
const [FALSE, TRUE, NULL, DOUBLE] = [0xf4, 0xf5, 0xf6, 0xfb];
const MAX_LEVELS = 100;
/** Maximum values of a message: small ones take up to fifty times their bytes in memory. */
const MAX_VALUES = 100_000;

/** Types of items, the upper three bits of their first byte. */
const [INTEGER, NEGATIVE, BYTE_STRING, TEXT, TAG] = [0, 1, 2, 3, 6];
const [ENVELOPE_TAG, BASE64_TAG] = [24, 22];

/** @param params values of JSON, and bytes, which the browser takes where JSON has base64 */
export function encodeMembers(params: CdpParams): EncodedMembers {
  return { members: Buffer.concat(membersOf(params)) };
}

/**
 * @param prepared further members of `params`
 * @returns the message in parts
 */
export function encodeMessage(
  head: CdpParams & { readonly params: CdpParams },
  prepared: EncodedMembers = { members: Buffer.alloc(0) },
): Buffer[] {
  const { params, ...others } = head;
  const inner = envelope(MAP, [...membersOf(params), prepared.members]);
  return envelope(MAP, [...membersOf(others), ...encode('params'), ...inner]);
}

function membersOf(members: object): Buffer[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [...encode(name), ...encode(value)],
  );
}

function encode(value: unknown): Buffer[] {
  if (value === null) return [Buffer.of(NULL)];
  if (typeof value === 'boolean') return [Buffer.of(value ? TRUE : FALSE)];
  if (typeof value === 'number') return [encodeNumber(value)];
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return [start(TEXT, text.length), text];
  }
  if (value instanceof Uint8Array) return [Buffer.of(BYTES), start(BYTE_STRING, value.length), Buffer.from(value)];
  if (Array.isArray(value)) return envelope(LIST, value.flatMap(encode));
  if (typeof value === 'object') return envelope(MAP, membersOf(value));
  throw new TypeError(`a message has no ${typeof value}`);
}

function encodeNumber(value: number): Buffer {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31)
    return value < 0 ? start(NEGATIVE, -1 - value) : start(INTEGER, value);
  const item = Buffer.alloc(9);
  item[0] = DOUBLE;
  item.writeDoubleBE(value, 1);
  return item;
}

/** The first bytes of an item: its type, and a number below 2^32. */
function start(type: number, count: number): Buffer {
  if (count < 24) return Buffer.of((type << 5) | count);
  const item = Buffer.alloc(5);
  item[0] = (type << 5) | 26;
  item.writeUInt32BE(count, 1);
  return item;
}

function envelope(begin: number, parts: readonly Buffer[]): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(parts.reduce((sum, { length: bytes }) => sum + bytes, 2));
  return [ENVELOPE, length, Buffer.of(begin), ...parts, Buffer.of(END)];
}

/** @throws CdpMessageError */
export function decodeMessage(message: Buffer): unknown {
  return new Reader(message).value(0);
}

/**
 * @param beginning of a message, at least HEAD_BYTES
 * @returns the length of the whole message
 * @throws CdpMessageError
 */
export function messageBytes(beginning: Buffer): number {
  if (!beginning.subarray(0, ENVELOPE.length).equals(ENVELOPE)) throw new CdpMessageError('a message has no envelope');
  return HEAD_BYTES + beginning.readUInt32BE(ENVELOPE.length);
}

/**
 * @param beginning of an answer, some 30 bytes
 * @returns the number of the call that it answers; undefined for an event
 */
export function idOf(beginning: Buffer): number | undefined {
  const reader = new Reader(beginning.subarray(HEAD_BYTES + 1));
  if (reader.value(0) !== 'id') return undefined;
  const id = reader.value(0);
  return typeof id === 'number' ? id : undefined;
}

/** Reads its bytes from the beginning. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(level: number): unknown {
    if (level > MAX_LEVELS) throw new CdpMessageError('a message has too many levels');
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw new CdpMessageError('a message has too many values');
    const first = this.#bytes.readUInt8(this.#pass(1));
    switch (first) {
      case FALSE:
        return false;
      case TRUE:
        return true;
      case NULL:
        return null;
      case DOUBLE:
        return this.#bytes.readDoubleBE(this.#pass(8));
      case MAP:
        return this.#map(level);
      case LIST:
        return this.#list(level);
    }
    const count = this.#count(first & 31);
    switch (first >> 5) {
      case INTEGER:
        return count;
      case NEGATIVE:
        return -1 - count;
      case BYTE_STRING:
        return this.#text(count, 'utf16le');
      case TEXT:
        return this.#text(count, 'utf8');
      case TAG:
        return this.#tagged(count, level);
    }
    throw new CdpMessageError(`a message has an item of type ${first}`);
  }

  #map(level: number): Record<string, unknown> {
    const members: [string, unknown][] = [];
    while (!this.#isEnd()) members.push([this.#name(level + 1), this.value(level + 1)]);
    return Object.fromEntries(members);
  }

  #name(level: number): string {
    const name = this.value(level);
    if (typeof name !== 'string') throw new CdpMessageError('a message has a member without a name');
    return name;
  }

  #list(level: number): unknown[] {
    const items: unknown[] = [];
    while (!this.#isEnd()) items.push(this.value(level + 1));
    return items;
  }

  #isEnd(): boolean {
    const isEnd = this.#bytes.readUInt8(this.#pass(1)) === END;
    if (!isEnd) this.#at -= 1;
    return isEnd;
  }

  #tagged(tag: number, level: number): unknown {
    const first = this.#bytes.readUInt8(this.#pass(1));
    const bytes = this.#count(first & 31);
    if (first >> 5 !== BYTE_STRING || (tag !== ENVELOPE_TAG && tag !== BASE64_TAG))
      throw new CdpMessageError(`a message has the tag ${tag}`);
    return tag === BASE64_TAG ? this.#text(bytes, 'base64') : this.value(level + 1);
  }

  #text(bytes: number, encoding: BufferEncoding): string {
    const from = this.#pass(bytes);
    return this.#bytes.toString(encoding, from, from + bytes);
  }

  /** @param form the lower five bits of an item's first byte */
  #count(form: number): number {
    if (form < 24) return form;
    const size = [1, 2, 4][form - 24];
    if (size === undefined) throw new CdpMessageError(`a message has a length of form ${form}`);
    return this.#bytes.readUIntBE(this.#pass(size), size);
  }

  /** @returns where the passed bytes begin */
  #pass(bytes: number): number {
    const from = this.#at;
    if (from + bytes > this.#bytes.length) throw new CdpMessageError('a message ends early');
    this.#at = from + bytes;
    return from;
  }
}
