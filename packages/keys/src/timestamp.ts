import { BoundedCache } from './bounded-cache.js';

/** A point in time with nanosecond precision. */
export interface Timestamp {
  /** Whole seconds since 1970-01-01T00:00:00Z, rounded down (negative before it). */
  readonly epochSeconds: number;
  /** 0 to 999999999, counted forward from `epochSeconds`. */
  readonly nanoseconds: number;
}

const FORMAT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;
const DAYS_FROM_YEAR_0_TO_1970 = 719_528;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar. `Date.UTC` would read the years 0 to 99 as 19xx. */
function epochDays(year: number, month: number, day: number): number {
  const leapDaysBefore =
    year === 0 ? 0 : 1 + Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400);
  const leapDayThisYear = month > 2 && isLeapYear(year) ? 1 : 0;
  const daysThisYear = (DAYS_BEFORE_MONTH[month - 1] ?? 0) + leapDayThisYear + day - 1;
  return year * 365 + leapDaysBefore + daysThisYear - DAYS_FROM_YEAR_0_TO_1970;
}

/** With nine fractional digits and an offset. */
const MAX_LENGTH = 35;
const ZERO = '0'.charCodeAt(0);

// The checks of one certificate read the same few times again: its own, and those of the keys.
const knownTimes = new BoundedCache<Timestamp | null>(64);

/**
 * Reads `YYYY-MM-DDThh:mm:ss[.1-9 digits](Z|±hh:mm)`: a real date, hours 00-23, minutes and seconds 00-59 (no leap
 * second), an offset up to ±23:59, upper-case T and Z.
 * @returns null for anything else, of any type
 * @see docs/spec.md, "Times"
 */
export function parseTimestamp(text: unknown): Timestamp | null {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return null;
  return knownTimes.getOrMake(text, () => readTimestamp(text));
}

/** Whether `parseTimestamp` reads it. For times that are met once, as those of a request: the cache does not help them. */
export function isTimestamp(text: unknown): text is string {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !FORMAT.test(text)) return false;
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  // Most dates are of every month of every year.
  if (month >= 1 && month <= 12 && day >= 1 && day <= 28) return true;
  return isDate(Number(text.slice(0, 4)), month, day);
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function readTimestamp(text: string): Timestamp | null {
  const match = FORMAT.exec(text);
  if (match === null) return null;
  const part = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  if (!isDate(year, month, day)) return null;
  const offsetSeconds = (match[8] === '-' ? -1 : 1) * (part(9) * 3600 + part(10) * 60);
  return {
    epochSeconds: epochDays(year, month, day) * 86_400 + part(4) * 3600 + part(5) * 60 + part(6) - offsetSeconds,
    nanoseconds: Number((match[7] ?? '').padEnd(9, '0')),
  };
}

/** Seconds since 1970-01-01T00:00:00Z with their fraction, which a double holds to the microsecond. */
export function secondsSince1970({ epochSeconds, nanoseconds }: Timestamp): number {
  return epochSeconds + nanoseconds / 1e9;
}

/** Below 0 when `a` is earlier, above 0 when later, 0 for the same time in any spelling. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.epochSeconds - b.epochSeconds || a.nanoseconds - b.nanoseconds;
}
