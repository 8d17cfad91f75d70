const DATE = 'A timestamp has a real date of the Gregorian calendar.';
const CLOCK = 'Hours are 00-23, minutes 00-59, offsets up to 23:59.';
const FORM = 'A timestamp is YYYY-MM-DDThh:mm:ss[.1-9 digits](Z|±hh:mm).';
type NamedTime = readonly [name: string, rule: string, time: string];

/** Times that a member may state. */
export const TIMES: readonly NamedTime[] = [
  ['leap-day', DATE, '2024-02-29T00:00:00Z'],
  ['leap-day-of-2000', DATE, '2000-02-29T00:00:00Z'],
  ['last-of-january', DATE, '2026-01-31T00:00:00Z'],
  ['last-of-march', DATE, '2026-03-31T00:00:00Z'],
  ['last-of-may', DATE, '2026-05-31T00:00:00Z'],
  ['last-of-june', DATE, '2026-06-30T00:00:00Z'],
  ['last-of-july', DATE, '2026-07-31T00:00:00Z'],
  ['last-of-august', DATE, '2026-08-31T00:00:00Z'],
  ['last-of-september', DATE, '2026-09-30T00:00:00Z'],
  ['last-of-october', DATE, '2026-10-31T00:00:00Z'],
  ['last-of-november', DATE, '2026-11-30T00:00:00Z'],
  ['last-of-april', DATE, '2026-04-30T00:00:00Z'],
  ['last-of-the-year', CLOCK, '2026-12-31T23:59:59.999999999Z'],
  ['largest-offset', CLOCK, '2026-01-01T00:00:00.5-23:59'],
];

/** Text that is no time. */
export const NO_TIMES: readonly NamedTime[] = [
  ['month-zero', DATE, '2026-00-10T00:00:00Z'],
  ['month-thirteen', DATE, '2026-13-01T00:00:00Z'],
  ['day-zero', DATE, '2026-01-00T00:00:00Z'],
  ['day-32', DATE, '2026-01-32T00:00:00Z'],
  ['april-31', DATE, '2026-04-31T00:00:00Z'],
  ['april-31-of-2024', DATE, '2024-04-31T00:00:00Z'],
  ['june-31', DATE, '2026-06-31T00:00:00Z'],
  ['september-31', DATE, '2026-09-31T00:00:00Z'],
  ['november-31', DATE, '2026-11-31T00:00:00Z'],
  ['february-29-of-2023', DATE, '2023-02-29T00:00:00Z'],
  ['february-29-of-1900', DATE, '1900-02-29T00:00:00Z'],
  ['hour-24', CLOCK, '2026-01-01T24:00:00Z'],
  ['minute-60', CLOCK, '2026-01-01T00:60:00Z'],
  ['offset-of-24-hours', CLOCK, '2026-01-01T00:00:00+24:00'],
  ['offset-of-60-minutes', CLOCK, '2026-01-01T00:00:00+00:60'],
  ['offset-without-colon', FORM, '2026-01-01T00:00:00+0100'],
  ['lower-case-t', FORM, '2026-01-01t00:00:00Z'],
  ['lower-case-z', FORM, '2026-01-01T00:00:00z'],
  ['space-for-t', FORM, '2026-01-01 00:00:00Z'],
  ['ten-digits-of-a-second', FORM, '2026-01-01T00:00:00.1234567890Z'],
  ['point-without-digits', FORM, '2026-01-01T00:00:00.Z'],
  ['comma', FORM, '2026-01-01T00:00:00,5Z'],
  ['five-digits-of-a-year', FORM, '12026-01-01T00:00:00Z'],
  ['other-digits', FORM, '2026-01-0\u0661T00:00:00Z'],
  ['line-end-after-it', FORM, '2026-01-01T00:00:00Z\n'],
];
