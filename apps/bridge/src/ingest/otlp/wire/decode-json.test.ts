import { describe, expect, it } from '@jest/globals';
import { decodeJson } from './decode-json.js';

/** An export of one span as text: what is written here is not what JSON.stringify writes. */
function exportOf(members: string): Buffer {
  return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"s",${members}}]}]}]}`);
}

describe('64-bit numbers', () => {
  it('may be numbers that a double does not hold', () => {
    const [span] = decodeJson(
      exportOf(
        `"startTimeUnixNano": 1767323045678901235,"endTimeUnixNano":1767323046000000001, "attributes": [
          {"key":"a","value":{"intValue":-9007199254740993}}, {"key":"b","value":{"stringValue":"\\" 9007199254740993"}},
          {"key":"c","value":{"doubleValue":12345678901234567890}}, {"key":"d","value":{"doubleValue":0.12345678901234567}}
        ]`,
      ),
      1,
    );
    expect(span).toMatchObject({ startNano: 1767323045678901235n, endNano: 1767323046000000001n });
    expect(span?.attributes.get('a')).toBe('-9007199254740993');
    expect(span?.attributes.get('b')).toBe('" 9007199254740993');
    expect(span?.attributes.get('c')).toBe(12345678901234567000);
    expect(span?.attributes.get('d')).toBe(0.12345678901234567);
  });

  it('are refused beside another fault of the JSON', () => {
    expect(() => decodeJson(exportOf('"startTimeUnixNano": 1767323045678901235,"name":"t"'), 1)).toThrow(
      'resourceSpans[0].scopeSpans[0].spans[0].name: duplicate',
    );
    expect(() => decodeJson(exportOf('"startTimeUnixNano": 01767323045678901235'), 1)).toThrow(
      'not valid JSON: line 1, column 78',
    );
  });
});
