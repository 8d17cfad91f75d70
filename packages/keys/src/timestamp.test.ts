import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareTimestamps, isTimestamp, parseTimestamp, type Timestamp } from './timestamp.js';

function parsed(text: string): Timestamp {
  const timestamp = parseTimestamp(text);
  if (timestamp === null) throw new Error(`not a timestamp: ${text}`);
  return timestamp;
}

describe('parseTimestamp', () => {
  it('reads a text the same again after another', () => {
    const texts = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z', 'no time', 'no time', '', '2026-01-02T03:04:06Z'];
    expect(texts.map((text) => parseTimestamp(text)?.epochSeconds ?? null)).toEqual([
      1767323045,
      1767323045,
      null,
      null,
      null,
      1767323046,
    ]);
  });

  it('reads many texts, the same again each time', () => {
    const texts = Array.from({ length: 200 }, (_, at) => `2026-01-02T03:04:05.${String(at + 100)}Z`);
    for (const given of [...texts, ...[...texts].reverse()]) {
      expect(parseTimestamp(given)).toEqual({
        epochSeconds: 1767323045,
        nanoseconds: Number(given.slice(20, 23)) * 1e6,
      });
    }
  });

  it('reads the longest text, and none that is longer', () => {
    const longest = '2026-01-01T00:00:00.123456789+01:00';
    expect(parseTimestamp(longest)).toEqual({ epochSeconds: 1767222000, nanoseconds: 123_456_789 });
    for (const longer of [`${longest}0`, ` ${longest}`, `${longest}\n`]) expect(parseTimestamp(longer)).toBeNull();
  });

  it('agrees with Date for every time and offset', () => {
    const date = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(date, fc.integer({ min: -1439, max: 1439 }), (moment, offset) => {
        const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, 23);
        const pad = (part: number): string => String(part).padStart(2, '0');
        const zone = `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
        const { epochSeconds, nanoseconds } = parsed(local + zone);
        expect(epochSeconds * 1000 + nanoseconds / 1e6).toBe(moment.getTime());
      }),
      { numRuns: 1000 },
    );
  });

  it('reads one to nine fractional digits', () => {
    expect(parsed('2026-01-01T00:00:00Z').nanoseconds).toBe(0);
    expect(parsed('2026-01-01T00:00:00.5Z').nanoseconds).toBe(500_000_000);
    expect(parsed('2026-01-01T00:00:00.000000001Z').nanoseconds).toBe(1);
    expect(parsed('2026-01-01T00:00:00.999999999Z').nanoseconds).toBe(999_999_999);
  });

  it('follows the Gregorian calendar', () => {
    for (const real of ['2024-02-29', '2000-02-29', '0000-02-29', '0099-12-31', '2026-04-30', '9999-12-31']) {
      expect(isTimestamp(`${real}T00:00:00Z`)).toBe(true);
      expect(parseTimestamp(`${real}T00:00:00Z`)).not.toBeNull();
    }
    for (const unreal of [
      '2026-02-29',
      '1900-02-29',
      '2100-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-01-32',
    ]) {
      expect(isTimestamp(`${unreal}T00:00:00Z`)).toBe(false);
      expect(parseTimestamp(`${unreal}T00:00:00Z`)).toBeNull();
    }
  });

  it('reads years before 100 literally', () => {
    expect(parsed('0000-01-01T00:00:00Z').epochSeconds).toBe(Date.parse('0000-01-01T00:00:00Z') / 1000);
    expect(parsed('0050-03-01T00:00:00Z').epochSeconds).toBe(Date.parse('0050-03-01T00:00:00Z') / 1000);
  });

  it.each([
    ['a leap second', '2026-06-30T23:59:60Z'],
    ['hour 24', '2026-01-01T24:00:00Z'],
    ['minute 60', '2026-01-01T23:60:00Z'],
    ['a lower-case z', '2026-01-01T00:00:00z'],
    ['a lower-case t', '2026-01-01t00:00:00Z'],
    ['a space for the T', '2026-01-01 00:00:00Z'],
    ['ten digits', '2026-01-01T00:00:00.0000000000Z'],
    ['a point without digits', '2026-01-01T00:00:00.Z'],
    ['a comma', '2026-01-01T00:00:00,5Z'],
    ['no zone', '2026-01-01T00:00:00'],
    ['no seconds', '2026-01-01T00:00Z'],
    ['a date only', '2026-01-01'],
    ['an offset of 24 hours', '2026-01-01T00:00:00+24:00'],
    ['an offset of 60 minutes', '2026-01-01T00:00:00+00:60'],
    ['an offset without colon', '2026-01-01T00:00:00+0100'],
    ['an offset of hours only', '2026-01-01T00:00:00+01'],
    ['both zones', '2026-01-01T00:00:00Z+01:00'],
    ['a year of five digits', '+12026-01-01T00:00:00Z'],
    ['a negative year', '-0001-01-01T00:00:00Z'],
    ['white space before', ' 2026-01-01T00:00:00Z'],
    ['a line end after', '2026-01-01T00:00:00Z\n'],
    ['digits of another script', '２０２６-01-01T00:00:00Z'],
    ['a true minus sign', '2026-01-01T00:00:00−01:00'],
    ['the empty text', ''],
  ])('refuses %s', (_, text) => {
    expect([parseTimestamp(text), isTimestamp(text)]).toEqual([null, false]);
  });

  it('rejects values that are not strings', () => {
    for (const value of [null, undefined, 0, 1767225600, new Date(), {}, ['2026-01-01T00:00:00Z'], true]) {
      expect([parseTimestamp(value), isTimestamp(value)]).toEqual([null, false]);
    }
  });

  it('reads what isTimestamp takes, and nothing else', () => {
    const almost = fc.stringMatching(/^[012]\d{3}-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d(\.\d{1,3})?[Z+]$/);
    fc.assert(
      fc.property(almost, (text) => {
        expect(isTimestamp(text)).toBe(parseTimestamp(text) !== null);
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts offsets up to 23:59 both ways', () => {
    expect(parsed('2026-01-01T00:00:00+23:59').epochSeconds).toBe(Date.parse('2025-12-31T00:01:00Z') / 1000);
    expect(parsed('2026-01-01T00:00:00-23:59').epochSeconds).toBe(Date.parse('2026-01-01T23:59:00Z') / 1000);
    expect(parsed('2026-01-01T00:00:00-00:00')).toEqual(parsed('2026-01-01T00:00:00Z'));
  });
});

describe('compareTimestamps', () => {
  it('orders times, not texts', () => {
    expect(compareTimestamps(parsed('2026-01-01T01:00:00+02:00'), parsed('2026-01-01T00:00:00Z'))).toBeLessThan(0);
    expect(compareTimestamps(parsed('2026-01-01T01:00:00+01:00'), parsed('2026-01-01T00:00:00.000Z'))).toBe(0);
  });

  it('distinguishes one nanosecond', () => {
    const [earlier, later] = [parsed('2026-01-01T00:00:00.123456788Z'), parsed('2026-01-01T00:00:00.123456789Z')];
    expect(compareTimestamps(earlier, later)).toBeLessThan(0);
    expect(compareTimestamps(later, earlier)).toBeGreaterThan(0);
  });

  it('orders fractions before 1970 too', () => {
    expect(compareTimestamps(parsed('1969-12-31T23:59:59.1Z'), parsed('1969-12-31T23:59:59.2Z'))).toBeLessThan(0);
    expect(compareTimestamps(parsed('1969-12-31T23:59:59.9Z'), parsed('1970-01-01T00:00:00Z'))).toBeLessThan(0);
  });
});
