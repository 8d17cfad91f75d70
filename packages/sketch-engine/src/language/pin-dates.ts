import { replaceConstructor, replaceMethod, type Method } from './replace.js';

/** Each has a getter and, but for the day of the week, a setter, in local time and in UTC. */
const PARTS = ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'];
/** A text that names its zone, or a date alone, which the language reads as UTC. */
const HAS_ZONE = /:\d\d.*[+-]\d|z$|\b(?:GMT|UTC?|[ECMP][SD]T)\b|^(?:\d{4}|[+-]\d{6})(?:-\d\d){0,2}$/i;
const ZONE = 'GMT+0000 (Coordinated Universal Time)';
const INVALID = 'Invalid Date';

/** A part of a text like `Wed, 01 Jul 2020 00:00:00 GMT`. */
type Part = (from: number, to: number) => string;

const dateIn = (part: Part): string => `${part(0, 3)} ${part(8, 11)} ${part(5, 7)} ${part(12, -13)}`;
const timeIn = (part: Part): string => `${part(-12, -4)} ${ZONE}`;

/**
 * Makes UTC the local time of this realm: a service has UTC, and the page of a visitor the zone of the visitor. Texts
 * of dates without a zone are read as UTC too. Before the builtins are pinned.
 */
export function pinDates(): void {
  const native = Date;
  const { prototype, parse, UTC } = native;
  const { apply, construct } = Reflect;
  const { trunc } = Math;
  // As they are now: the sketch may replace them.
  const method = (name: string, owner: object = prototype): Method => Reflect.get(owner, name) as Method;
  const [exec, slice] = [method('exec', RegExp.prototype), method('slice', String.prototype)];
  const methods = (...names: readonly string[]): readonly Method[] => names.map((name) => method(name));
  const localDate = methods('getFullYear', 'getMonth', 'getDate');
  const localTime = methods('getHours', 'getMinutes', 'getSeconds', 'getMilliseconds');
  const [setDate, setTime] = [method('setUTCFullYear'), method('setUTCHours')];
  const [utcText, utcYear, timeOf] = [method('toUTCString'), method('getUTCFullYear'), method('getTime')];

  const parseInUtc = (text: string): number => {
    const time = parse(text);
    if (apply(exec, HAS_ZONE, [text]) !== null) return time;
    // The same date and time of day as in the zone of the machine.
    const local = new native(time);
    const of = (part: Method): unknown => apply(part, local, []);
    const utc = new native(0);
    apply(setDate, utc, localDate.map(of));
    return apply(setTime, utc, localTime.map(of)) as number;
  };
  replaceConstructor('Date', (_, args, newTarget) => {
    const first = args[0];
    if (args.length > 1) return construct(native, [apply(UTC, undefined, args)], newTarget) as object;
    return construct(native, typeof first === 'string' ? [parseInUtc(first)] : args, newTarget) as object;
  });
  replaceMethod(native, 'parse', () => ({ method: (text) => parseInUtc(String(text)) }));

  for (const part of PARTS) {
    for (const access of part === 'Day' ? ['get'] : ['get', 'set']) {
      const inUtc = method(`${access}UTC${part}`);
      replaceMethod(prototype, access + part, () => ({
        method(this: unknown, ...args: unknown[]): unknown {
          return apply(inUtc, this, args);
        },
      }));
    }
  }
  const replaceText = (name: string, write: (part: Part) => string): void => {
    replaceMethod(prototype, name, () => ({
      method(this: unknown): string {
        const text = apply(utcText, this, []);
        return text === INVALID ? INVALID : write((from, to) => apply(slice, text, [from, to]) as string);
      },
    }));
  };
  replaceText('toDateString', dateIn);
  replaceText('toTimeString', timeIn);
  replaceText('toString', (part) => `${dateIn(part)} ${timeIn(part)}`);

  replaceMethod(prototype, 'getTimezoneOffset', () => ({
    method(this: unknown): number {
      return apply(timeOf, this, []) !== apply(timeOf, this, []) ? NaN : 0;
    },
  }));
  replaceMethod(prototype, 'getYear', () => ({
    method(this: unknown): number {
      return (apply(utcYear, this, []) as number) - 1900;
    },
  }));
  replaceMethod(prototype, 'setYear', () => ({
    method(this: unknown, value: unknown): unknown {
      const year = Number(value);
      if (year !== year) return apply(setTime, this, [year]);
      return apply(setDate, this, [year > -1 && year < 100 ? 1900 + trunc(year) : year]);
    },
  }));
}
