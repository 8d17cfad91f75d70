import type { SketchFunctions } from './style.js';

/** Arrays and texts, as p5.js has them. */
export function listFunctions(random: () => number): SketchFunctions {
  return {
    append: (list: unknown[], value: unknown) => {
      list.push(value);
      return list;
    },
    arrayCopy: (from: readonly unknown[], to: unknown[]) => {
      from.forEach((value, index) => {
        to[index] = value;
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
    sort: (list: readonly (number | string)[], count = list.length) => {
      const head = list.slice(0, count);
      const order =
        typeof head[0] === 'string' ? undefined : (a: number | string, b: number | string) => Number(a) - Number(b);
      return head.sort(order).concat(list.slice(count));
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
    trim: (text: string) => text.trim(),
    match: (text: string, pattern: string) => text.match(new RegExp(pattern)),
    matchAll: (text: string, pattern: string) =>
      Array.from(text.matchAll(new RegExp(pattern, 'g')), (found) => Array.from(found)),
    nf: (value: number, left = 0, right?: number) => nf(value, left, right),
    nfc: (value: number, right?: number) => {
      const [whole = '', fraction] = (right === undefined ? String(value) : value.toFixed(right)).split('.');
      const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
      return fraction === undefined ? grouped : `${grouped}.${fraction}`;
    },
    nfp: (value: number, left = 0, right?: number) => (value < 0 ? '' : '+') + nf(value, left, right),
    nfs: (value: number, left = 0, right?: number) => (value < 0 ? '' : ' ') + nf(value, left, right),
  };
}

/** A number with at least `left` digits before the point and exactly `right` behind it. */
function nf(value: number, left: number, right: number | undefined): string {
  const text = right === undefined ? String(Math.abs(value)) : Math.abs(value).toFixed(right);
  const [whole = '', fraction] = text.split('.');
  const padded = whole.padStart(left, '0');
  return (value < 0 ? '-' : '') + (fraction === undefined ? padded : `${padded}.${fraction}`);
}
