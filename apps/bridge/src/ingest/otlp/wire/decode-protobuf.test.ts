import { describe, expect, it } from '@jest/globals';
import type { Span } from '../spans/span.js';
import { decodeProtobuf } from './decode-protobuf.js';

/** A length-delimited field. */
const field = (number: number, ...content: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
};
const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
const varint = (number: number, value: number): Buffer => Buffer.from([number << 3, value]);
const attribute = (key: string, ...values: readonly Buffer[]): Buffer => field(9, text(1, key), ...values);
const value = (...members: readonly Buffer[]): Buffer => field(2, ...members);

const spanWith = (...members: readonly Buffer[]): Span | undefined =>
  decodeProtobuf(field(1, field(2, field(2, ...members))), 10)[0];

describe('a message that occurs twice', () => {
  it('is merged as a resource', () => {
    const resource = (key: string): Buffer => field(1, field(1, text(1, key), value(text(1, 'v'))));
    const [span] = decodeProtobuf(field(1, resource('a'), field(2, field(2)), resource('b')), 10);
    expect(span?.resource).toEqual(new Map(['a', 'b'].map((key) => [key, 'v'])));
  });

  it('is merged as a status', () => {
    expect(spanWith(field(15, varint(3, 2)), field(15, text(2, 'message')))?.status).toBe('error');
  });

  it('is merged as the list of a value', () => {
    const list = (item: string): Buffer => field(5, field(1, text(1, item)));
    const merged = new Map([['k', ['a', 'b', 'c']]]);
    expect(spanWith(attribute('k', value(list('a'), list('b')), value(list('c'))))?.attributes).toEqual(merged);
  });

  it('is merged as the object of a value', () => {
    const object = (key: string): Buffer => field(6, field(1, text(1, key), value(text(1, 'v'))));
    const span = spanWith(attribute('k', value(object('a')), value(object('__proto__'))));
    expect(Object.entries(span?.attributes.get('k') ?? {})).toEqual([
      ['a', 'v'],
      ['__proto__', 'v'],
    ]);
  });

  it('is replaced by a value of another kind', () => {
    const list = field(5, field(1, text(1, 'a')));
    expect(spanWith(attribute('k', value(list), value(text(1, 'b')), value(list)))?.attributes.get('k')).toEqual(['a']);
  });
});

describe('a number of more than 32 bits', () => {
  const long = (low: number): Buffer => Buffer.from([low, 0x80, 0x80, 0x80, 0x80, 0x01]);
  const fifth = (low: number): Buffer => Buffer.from([low, 0x80, 0x80, 0x80, 0x10]);
  const message = 'body: has a field number or a length of more than 32 bits';

  it.each([long, fifth])('is refused as a field number', (number) => {
    expect(() => decodeProtobuf(Buffer.concat([number(0x8a), Buffer.from([0])]), 10)).toThrow(message);
  });

  it.each([long, fifth])('is refused as a length', (number) => {
    expect(() => decodeProtobuf(Buffer.concat([Buffer.from([0x0a]), number(0x80)]), 10)).toThrow(message);
  });

  it('may be a field number padded to five bytes', () => {
    expect(decodeProtobuf(Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x00, 0x00]), 10)).toEqual([]);
  });
});
