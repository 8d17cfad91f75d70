import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CdpMessageError, decodeMessage, encodeMembers, encodeMessage, idOf, messageBytes } from './cdp-messages.js';

const encoded = (params: Record<string, unknown>): Buffer => Buffer.concat(encodeMessage({ params }));
const hex = (bytes: string): Buffer => Buffer.from(bytes.replaceAll(' ', ''), 'hex');
/** An envelope around the bytes. */
const message = (bytes: string): Buffer => {
  const content = hex(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([hex('d8185a'), length, content]);
};

describe('A message', () => {
  it('is a map in an envelope', () => {
    const bytes = Buffer.concat(encodeMessage({ id: 7, method: 'A.b', params: { on: true } }));
    expect(bytes).toEqual(
      message('bf 626964 07 666d6574686f64 63412e62 66706172616d73 d8185a00000006 bf 626f6e f5 ff ff'),
    );
    expect([messageBytes(bytes), idOf(bytes)]).toEqual([bytes.length, 7]);
  });

  it.each([
    ['in front', { requestId: 'r' }, { requestId: 'r', name: 'é', list: [1] }],
    ['alone', {}, { name: 'é', list: [1] }],
  ])('takes encoded members, others %s', (_where, params, expected) => {
    const parts = encodeMessage({ params }, encodeMembers({ name: 'é', list: [1] }));
    expect(decodeMessage(Buffer.concat(parts))).toEqual({ params: expected });
  });

  it('is the same after decoding', () => {
    // The protocol has no integers outside of 32 bits but as doubles.
    const value = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (params) => {
        const same = decodeMessage(encoded(params)) as { readonly params: unknown };
        expect(JSON.stringify(same.params)).toBe(JSON.stringify(params));
      }),
    );
  });

  it.each([0, 23, 24, 255, 256, 65_535, 65_536])('holds %i bytes, read as base64', (length) => {
    const bytes = Buffer.alloc(length, 'x');
    expect(decodeMessage(encoded({ bytes }))).toEqual({ params: { bytes: bytes.toString('base64') } });
  });

  it('holds text in UTF-16', () => {
    expect(decodeMessage(message('bf 6174 44 e900 2020 ff'))).toEqual({ t: 'é†' });
  });

  it('holds a member named __proto__ as any other', () => {
    const { params } = decodeMessage(encoded(JSON.parse('{"__proto__":{"x":1}}') as Record<string, unknown>)) as {
      readonly params: object;
    };
    expect(Object.keys(params)).toEqual(['__proto__']);
    expect('x' in params).toBe(false);
  });
});

describe('Unreadable messages', () => {
  it('are all that end early', () => {
    const whole = encoded({ text: 'text', number: 1.5, list: [1, null], bytes: Buffer.from('bytes') });
    for (let length = 0; length < whole.length; length += 1)
      expect(() => decodeMessage(whole.subarray(0, length))).toThrow(CdpMessageError);
  });

  it.each([
    ['an unknown tag', message('bf 6178 c1 41 00 ff')],
    ['an unknown simple value', message('bf 6178 f7 ff')],
    ['a length in eight bytes', message('bf 6178 7b 0000000000000001 78 ff')],
    ['a list of definite length', message('bf 6178 81 01 ff')],
    ['a number as a name', message('bf 01 f6 ff')],
    ['a name that has no text', message('bf bf 68746f537472696e67 01 6776616c75654f66 01 ff f6 ff')],
    ['a million values', message(`bf 6178 9f ${'f6'.repeat(1_000_000)} ff ff`)],
    ['lists in 200 levels', message(`bf 6178 ${'9f'.repeat(200)}${'ff'.repeat(200)} ff`)],
  ])('have %s', (_what, bytes) => {
    expect(() => decodeMessage(bytes)).toThrow(CdpMessageError);
  });

  it('throw nothing but this error, whatever byte is changed', () => {
    const whole = encoded({ text: 'text', number: 1.5, list: [1, null, [{}]], bytes: Buffer.from('bytes') });
    for (let at = 0; at < whole.length; at += 1) {
      for (let byte = 0; byte < 256; byte += 1) {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        try {
          decodeMessage(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(CdpMessageError);
        }
      }
    }
  });

  it('begin without an envelope', () => {
    expect(() => messageBytes(Buffer.from('{"id":1}'))).toThrow(CdpMessageError);
  });
});

it('An event answers no call', () => {
  expect(idOf(encoded({}))).toBeUndefined();
});
