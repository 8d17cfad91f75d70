import { isUtf8 } from 'node:buffer';
import { MAX_PIECES } from '../../json-pieces.js';
import { malformed, tooMany } from '../spans/span.js';

/** How a field is laid out. Groups, which proto3 does not have, are refused. */
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const MAX_VARINT_BYTES = 10;

/**
 * Reads protobuf fields one after another out of a window of bytes. It copies nothing and never recurses: the caller
 * opens a window on each nested message, and so decides how deep it reads.
 */
export class ProtobufReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  /** Number of messages that may still be opened, in this window and all others on the same bytes. */
  readonly #budget: { left: number };
  #at: number;
  /** Number and layout of the field that `next` found. */
  field = 0;
  wire = 0;

  constructor(bytes: Buffer, start = 0, end = bytes.length, budget = { left: MAX_PIECES }) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#budget = budget;
  }

  /** Goes to the next field. The one before must have been read or skipped. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#whole32();
    this.field = tag >>> 3;
    this.wire = tag & 7;
    if (this.field === 0) throw malformed('body: has a field without a number');
    return true;
  }

  skip(): void {
    if (this.wire === WIRE.varint) this.#low32();
    else if (this.wire === WIRE.fixed64) this.#take(8);
    else if (this.wire === WIRE.bytes) this.#take(this.#length());
    else if (this.wire === WIRE.fixed32) this.#take(4);
    else throw malformed('body: has a field of unknown layout');
  }

  /**
   * A nested message, in a separate window.
   * @throws OtlpError when there are too many: an empty one takes two bytes, and much more once it is read
   */
  message(): ProtobufReader {
    if (this.#budget.left <= 0) throw tooMany('messages of an export', MAX_PIECES);
    this.#budget.left -= 1;
    const length = this.#lengthOf(WIRE.bytes);
    const start = this.#take(length);
    return new ProtobufReader(this.#bytes, start, start + length, this.#budget);
  }

  bytes(): Buffer {
    const length = this.#lengthOf(WIRE.bytes);
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** @throws OtlpError when the text is not valid UTF-8 */
  text(): string {
    const length = this.#lengthOf(WIRE.bytes);
    const start = this.#take(length);
    const text = this.#bytes.toString('utf8', start, start + length);
    // Invalid bytes become U+FFFD, which valid text may contain too.
    if (text.includes('\ufffd') && !isUtf8(this.#bytes.subarray(start, start + length))) {
      throw malformed('body: has a text that is not valid UTF-8');
    }
    return text;
  }

  /** An unsigned 32-bit number or an enum. */
  uint32(): number {
    this.#expect(WIRE.varint);
    return this.#low32();
  }

  bool(): boolean {
    this.#expect(WIRE.varint);
    return Number(this.#int64()) !== 0;
  }

  /** A short one comes as a number: most are. */
  int64(): number | bigint {
    this.#expect(WIRE.varint);
    return this.#int64();
  }

  fixed64(): bigint {
    this.#expect(WIRE.fixed64);
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  double(): number {
    this.#expect(WIRE.fixed64);
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  #int64(): number | bigint {
    let low = 0;
    let shift = 0;
    // Most numbers are short: below 2^28 no big integer is needed on the way.
    for (let count = 0; count < 4; count += 1) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80) return low;
    }
    let value = BigInt(low);
    for (let count = 4; count < MAX_VARINT_BYTES; count += 1) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      shift += 7;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw malformed('body: has a number that does not end');
  }

  /** A tag or a length: protobuf gives both at most 32 bits, so nothing is cut off. */
  #whole32(): number {
    const start = this.#at;
    const value = this.#low32();
    const count = this.#at - start;
    if (count > 5 || (count === 5 && (this.#bytes[start + 4] ?? 0) > 0x0f)) {
      throw malformed('body: has a field number or a length of more than 32 bits');
    }
    return value;
  }

  /** The low half of a varint, as protobuf defines reading 64 bits into 32. */
  #low32(): number {
    let value = 0;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const byte = this.#byte();
      if (count < 5) value |= (byte & 0x7f) << (7 * count);
      if (byte < 0x80) return value >>> 0;
    }
    throw malformed('body: has a number that does not end');
  }

  #lengthOf(wire: number): number {
    this.#expect(wire);
    return this.#length();
  }

  #length(): number {
    return this.#whole32();
  }

  #expect(wire: number): void {
    if (this.wire !== wire) throw malformed('body: has a field of another layout than OTLP gives it');
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (byte === undefined) throw malformed('body: ends in the middle of a field');
    this.#at += 1;
    return byte;
  }

  /** @returns where the taken bytes begin */
  #take(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) throw malformed('body: ends in the middle of a field');
    this.#at = start + length;
    return start;
  }
}
