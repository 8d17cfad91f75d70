import { each } from './calculation.js';
import type { SketchFunctions } from './style.js';

type Numbers = number | string | readonly (number | string)[];

/** Arrays and texts, as p5.js has them. */
export function listFunctions(random: () => number): SketchFunctions {
  return {
    append: (list: unknown[], value: unknown) => {
      list.push(value);
      return list;
    },
    // arrayCopy(from, to, count?) or arrayCopy(from, fromIndex, to, toIndex, count)
    arrayCopy: (from: readonly unknown[], ...rest: (unknown[] | number)[]) => {
      const [fromIndex, to, toIndex, count = from.length] =
        typeof rest[0] === 'number' ? rest : [0, rest[0], 0, rest[1]];
      if (!Array.isArray(to)) return;
      const start = Number(fromIndex);
      from.slice(start, start + Number(count)).forEach((value, index) => {
        to[Number(toIndex) + index] = value;
      });
    },
    concat: (a: readonly unknown[], b: readonly unknown[]) => a.concat(b),
    reverse: (list: unknown[]) => list.reverse(),
    shorten: (list: unknown[]) => {
      list.pop();
      return list;
    },
    subset: (list: readonly unknown[], start: number, count?: number) =>
      list.slice(start, count === undefined ? undefined : start + count),
    splice: (list: unknown[], value: unknown, at: number) => {
      list.splice(at, 0, ...(Array.isArray(value) ? (value as unknown[]) : [value]));
      return list;
    },
    // In place, unless it sorts only the first ones.
    sort: (list: (number | string)[], count = 0) => {
      const head = count === 0 ? list : list.slice(0, count);
      const order =
        typeof head[0] === 'string' ? undefined : (a: number | string, b: number | string) => Number(a) - Number(b);
      head.sort(order);
      return count === 0 ? list : head.concat(list.slice(count));
    },
    shuffle: (list: unknown[], inPlace = false) => {
      const shuffled = inPlace ? list : list.slice();
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = Math.floor(random() * (i + 1));
        [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
      }
      return shuffled;
    },
    join: (list: readonly unknown[], separator: string) => list.join(separator),
    split: (text: string, separator: string) => text.split(separator),
    splitTokens: (text: string, separators = ' \t\n\r\f') => {
      const tokens: string[] = [];
      let token = '';
      for (const letter of text) {
        if (!separators.includes(letter)) token += letter;
        else if (token !== '') {
          tokens.push(token);
          token = '';
        }
      }
      return token === '' ? tokens : [...tokens, token];
    },
    trim: (text: string | readonly string[]) => each(text, (one) => one.trim()),
    match: (text: string, pattern: string) => text.match(new RegExp(pattern)),
    matchAll: (text: string, pattern: string) =>
      Array.from(text.matchAll(new RegExp(pattern, 'g')), (found) => Array.from(found)),
    nf: (value: Numbers, left = 0, right?: number) => each(value, (one) => nf(one, left, right)),
    nfc: (value: Numbers, right?: number) => each(value, (one) => nfc(String(one), right)),
    nfp: (value: Numbers, left = 0, right?: number) =>
      each(value, (one) => (Number(one) > 0 ? '+' : '') + nf(one, left, right)),
    nfs: (value: Numbers, left = 0, right?: number) =>
      each(value, (one) => (Number(one) < 0 ? '' : ' ') + nf(one, left, right)),
  };
}

/** Groups of three digits, and exactly `right` digits behind the point: more are cut, not rounded, as in p5.js. */
function nfc(text: string, right: number | undefined): string {
  const [whole = '', fraction = ''] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const digits = right === undefined ? fraction : fraction.slice(0, right).padEnd(right, '0');
  return digits === '' ? grouped : `${grouped}.${digits}`;
}

/** A number with at least `left` digits before the point and exactly `right` behind it. */
function nf(given: number | string, left: number, right: number | undefined): string {
  const value = Number(given);
  const text = right === undefined ? String(Math.abs(value)) : Math.abs(value).toFixed(right);
  const [whole = '', fraction] = text.split('.');
  const padded = whole.padStart(left, '0');
  return (value < 0 ? '-' : '') + (fraction === undefined ? padded : `${padded}.${fraction}`);
}
