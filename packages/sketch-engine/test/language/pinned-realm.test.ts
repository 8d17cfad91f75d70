import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from 'node:vm';
import { LANGUAGE } from '../../src/prelude/allowed.js';
import { evaluate, LIST_MEMBERS, pinnedRealm, pinningScript } from './realm.js';

const MEMBERS: unknown = JSON.parse(readFileSync(join(__dirname, 'members.json'), 'utf8'));

describe('The language of sketches', () => {
  let realm: Context;
  beforeAll(async () => {
    realm = await pinnedRealm();
  });
  const value = (expression: string): unknown => JSON.parse(String(evaluate(realm, `JSON.stringify(${expression})`)));

  it('has exactly the committed members', () => {
    const listed = `${LIST_MEMBERS}; JSON.stringify(listMembers(${JSON.stringify(LANGUAGE.filter((name) => name !== 'globalThis'))}))`;
    expect(JSON.parse(String(evaluate(realm, listed)))).toEqual(MEMBERS);
  });

  it('shows nothing of the locale', () => {
    expect(value('[(1234567.5).toLocaleString(), 12n.toLocaleString(), [1, 2].toLocaleString()]')).toEqual([
      '1234567.5',
      '12',
      '1,2',
    ]);
    expect(value("['b', 'a', 'B', 'é'].sort((a, b) => a.localeCompare(b))")).toEqual(['B', 'a', 'b', 'é']);
    expect(value("'Iı'.toLocaleLowerCase('tr')")).toBe('iı');
  });

  it('reads and shows dates in UTC', () => {
    const read = [
      'new Date(2020, 6, 1, 2, 3, 4, 5)',
      "new Date('2020-07-01T02:03:04.005')",
      "new Date('Jul 1 2020 02:03:04')",
      'new Date(99, 0)',
    ];
    expect(value(`[${read.join()}].map((date) => date.toISOString())`)).toEqual([
      '2020-07-01T02:03:04.005Z',
      '2020-07-01T02:03:04.005Z',
      '2020-07-01T02:03:04.000Z',
      '1999-01-01T00:00:00.000Z',
    ]);
    const texts = "['2020-07-01', '2020-07-01T00:00Z', '2020-07-01T00:00+02:00', 'Wed, 01 Jul 2020 00:00:00 GMT', 'x']";
    expect(value(`${texts}.map((text) => Date.parse(text))`)).toEqual([
      ...[1593561600000, 1593561600000, 1593554400000, 1593561600000, null],
    ]);
    expect(
      value('[String(new Date(1593561600000)), String(new Date(-62198755200000)), String(new Date(NaN))]'),
    ).toEqual([
      'Wed Jul 01 2020 00:00:00 GMT+0000 (Coordinated Universal Time)',
      'Fri Jan 01 -0001 00:00:00 GMT+0000 (Coordinated Universal Time)',
      'Invalid Date',
    ]);
    const date = 'new Date(1593561600000 + 45296789)';
    const got = 'FullYear Month Date Day Hours Minutes Seconds Milliseconds TimezoneOffset Year'.split(' ');
    expect(value(`[${got.map((part) => `${date}.get${part}()`).join()}]`)).toEqual([
      2020, 6, 1, 3, 12, 34, 56, 789, 0, 120,
    ]);
    const set = [
      'setFullYear(2021, 1, 2)',
      'setMonth(1)',
      'setDate(2)',
      'setHours(1, 2, 3, 4)',
      'setMinutes(5)',
      'setYear(99)',
    ];
    expect(value(`[${set.map((call) => `new Date(${date}.${call}).toISOString()`).join()}]`)).toEqual([
      '2021-02-02T12:34:56.789Z',
      '2020-02-01T12:34:56.789Z',
      '2020-07-02T12:34:56.789Z',
      '2020-07-01T01:02:03.004Z',
      '2020-07-01T12:05:56.789Z',
      '1999-07-01T12:34:56.789Z',
    ]);
    expect(value('[new Date(NaN).getTimezoneOffset(), new Date(NaN).setYear(NaN), new Date(NaN).setYear(70)]')).toEqual(
      [...[null, null, 0]],
    );
    expect(value('[Date.length, Date.name, Date.prototype.setHours.length, Date.prototype.getHours.name]')).toEqual([
      ...[7, 'Date', 4, 'getHours'],
    ]);
  });

  it('shows nothing of the time zone of the machine', async () => {
    const shown = `[new Date(2020, 6, 1), new Date('2020-07-01T00:00'), new Date('Jul 1 2020')].map(Number).concat(
      String(new Date(0)), new Date(0).getHours(), new Date(0).setHours(1), new Date(0).getTimezoneOffset())`;
    const inZone = spawnSync(process.execPath, ['-p', `${await pinningScript()}; JSON.stringify(${shown})`], {
      env: { ...process.env, TZ: 'Asia/Kolkata' },
      encoding: 'utf8',
    });
    expect(JSON.parse(inZone.stdout)).toEqual([
      ...[1593561600000, 1593561600000, 1593561600000],
      ...['Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)', 0, 3_600_000, 0],
    ]);
  });

  describe('in an engine that lets members not be deleted', () => {
    const fixed = (owner: string, name: string): string =>
      `Object.defineProperty(${owner}, '${name}', { value: 'last', configurable: false });`;

    it('has constructors without them', async () => {
      const other = await pinnedRealm(fixed('RegExp', 'input') + fixed('DataView', 'BYTES_PER_ELEMENT'));
      const found = (expression: string): unknown => evaluate(other, expression);
      expect(found('[RegExp.input, DataView.BYTES_PER_ELEMENT].join()')).toBe(',');
      expect(found('/a/.constructor === RegExp && RegExp.prototype.isPrototypeOf(/a/)')).toBe(true);
      expect(found('var pattern = /a/g; RegExp(pattern) === pattern')).toBe(true);
      expect(found("[new RegExp(pattern), RegExp(pattern, 'i'), RegExp('b'), RegExp()].join()")).toBe(
        '/a/g,/a/i,/b/,/(?:)/',
      );
      expect(found('new RegExp(pattern) === pattern')).toBe(false);
      expect(found("class Own extends RegExp {} new Own('x') instanceof Own && 'axb'.split(new Own('x')).join()")).toBe(
        'a,b',
      );
      expect(found('[RegExp.name, RegExp.length, RegExp[Symbol.species] === RegExp].join()')).toBe('RegExp,2,true');
      expect(found("Object.getOwnPropertyDescriptor(RegExp, 'prototype').writable")).toBe(false);
      expect(found('new DataView(new ArrayBuffer(2)).constructor === DataView')).toBe(true);
      expect(() => found('DataView(new ArrayBuffer(2))')).toThrow('Constructor DataView requires');
    });

    it('does not begin where an object is not a constructor', async () => {
      await expect(pinnedRealm(fixed('Math', 'sumPrecise'))).rejects.toThrow('Math.sumPrecise cannot be deleted');
    });
  });

  it('has buffers of a fixed size', () => {
    expect(value('new ArrayBuffer(4, { maxByteLength: 8 }).byteLength')).toBe(4);
    expect(value('[ArrayBuffer.prototype.resize, ArrayBuffer.prototype.transfer].map(String)')).toEqual([
      'undefined',
      'undefined',
    ]);
  });

  it.each([
    ['a buffer', 'new ArrayBuffer(2 ** 52)'],
    ['an array', 'new Float64Array(new ArrayBuffer(2 ** 52))'],
    [
      'a copy',
      "class Full extends Uint8Array { static get [Symbol.species]() { return function () { throw new RangeError('Array buffer allocation failed'); }; } } new Full(1).slice()",
    ],
  ])('records exhausted memory for %s where no catch sees it', (_name, statements) => {
    const list = `{ [Symbol.iterator]() { return this; }, next: () => ({ done: false }), return() { ${statements}; } }`;
    evaluate(realm, `limits = 0; try { for (const one of ${list}) throw 'another'; } catch {}`);
    expect(value('limits')).toBeGreaterThan(0);
  });

  it.each([
    ['floats seen as integers', 'const f = new Float32Array(2), u = new Uint32Array(f.buffer);', 'f', '[...u]'],
    ['integers seen as floats', 'const u = new Uint32Array(2), f = new Float32Array(u.buffer);', 'f', '[...u]'],
    [
      'a buffer made before',
      'const b = new ArrayBuffer(8), f = new Float32Array(b), u = new Uint32Array(b);',
      'f',
      '[u[0], u[1]]',
    ],
    ['a part of the view', 'const f = new Float32Array(2), u = new Uint32Array(f.buffer);', 'f', '[...u.subarray(0)]'],
    ['a copy of the buffer', 'const f = new Float32Array(2);', 'f', '[...new Uint32Array(f.buffer.slice(0))]'],
    [
      'a view of the data',
      'const f = new Float32Array(2);',
      'f',
      '(() => { const d = new DataView(f.buffer); return [d.getUint32(0, true), d.getUint32(4, true)]; })()',
    ],
    [
      'descriptors',
      'const f = new Float32Array(2), u = new Uint32Array(f.buffer);',
      'f',
      'Object.values(Object.getOwnPropertyDescriptors(u)).map(({ value }) => value)',
    ],
  ])('has one NaN, in %s', (_name, made, floats, integers) => {
    const script = `(() => { ${made} const zero = +'0'; ${floats}[0] = zero / zero; ${floats}[1] = -(zero / zero); return ${integers}; })()`;
    expect(value(script)).toEqual([0x7fc0_0000, 0x7fc0_0000]);
  });

  it('has one NaN of double precision too', () => {
    const nan = '(() => { const zero = +"0"; return -(zero / zero); })()';
    const expected = [0, 0x7ff8_0000];
    expect(value(`[...new Uint32Array(Float64Array.of(${nan}).buffer)]`)).toEqual(expected);
    const data = `(() => { const d = new DataView(new ArrayBuffer(8)); d.setFloat64(0, ${nan}, true); return [d.getUint32(0, true), d.getUint32(4, true)]; })()`;
    expect(value(data)).toEqual(expected);
  });

  it('settles what a view of the data reads after its index is converted', () => {
    const made = 'const f = new Float32Array(3), d = new DataView(f.buffer, 4), nan = Math.sqrt(+"-1"); f[2] = nan;';
    const writing = '{ valueOf() { f[1] = nan; return 0; } }';
    expect(value(`(() => { ${made} return [d.getUint32(${writing}, true), d.getUint32(4, true)]; })()`)).toEqual([
      0x7fc0_0000, 0x7fc0_0000,
    ]);
  });

  it('reads a view of the data at the indexes of the language', () => {
    const made = 'const d = new DataView(Float32Array.of(1, 2).buffer, 4, 4);';
    const outcome = (index: string): unknown =>
      value(`(() => { ${made} try { return d.getUint8(${index}); } catch (error) { return error.name; } })()`);
    expect(['3', '', 'undefined', '-0.5', '3.9', '"3"', '{}'].map(outcome)).toEqual([0x40, 0, 0, 0, 0x40, 0x40, 0]);
    expect(['4', '-1', '-Infinity', 'Infinity', '3n', 'Object(3n)', 'Symbol()'].map(outcome)).toEqual([
      ...['RangeError', 'RangeError', 'RangeError', 'RangeError', 'TypeError', 'TypeError', 'TypeError'],
    ]);
  });

  it('reads a view of the data in a time that does not grow with its buffer', () => {
    const reads =
      '(() => { const d = new DataView(new Float64Array(2 ** 21).buffer); let sum = 0; for (let i = 0; i < 20_000; i++) sum += d.getInt32(i); return sum; })()';
    expect(value(reads)).toBe(0);
  });

  const floatsFirst = 'const f = new Float32Array(3), u = new Uint32Array(f.buffer);';
  const integersFirst = 'const u = new Uint32Array(3), f = new Float32Array(u.buffer);';
  it.each([
    ['spread', floatsFirst, 'f[1] = nan; return [...u][1];'],
    ['a method that reads all', floatsFirst, "f[1] = nan; return Number(u.join().split(',')[1]);"],
    ['a copy', floatsFirst, 'f[1] = nan; return u.slice(1)[0];'],
    [
      'a loop that writes ahead',
      floatsFirst,
      'const got = []; for (const w of u) { got.push(w); f[1] = nan; } return got[1];',
    ],
    [
      'a callback that writes ahead',
      floatsFirst,
      'const got = []; u.forEach((w) => { got.push(w); f[1] = nan; }); return got[1];',
    ],
    [
      'the array that a callback is handed',
      floatsFirst,
      'return u.map((w, at, all) => { f[1] = nan; return all[1]; })[0];',
    ],
    ['an index that writes when it is converted', floatsFirst, 'return u.at({ valueOf() { f[1] = nan; return 1; } });'],
    [
      'a copy of the buffer whose index writes when it is converted',
      floatsFirst,
      'return new Uint32Array(f.buffer.slice({ valueOf() { f[1] = nan; return 0; } }))[1];',
    ],
    [
      'a copy of the buffer whose constructor writes',
      floatsFirst,
      'const { buffer } = f; buffer.constructor = { [Symbol.species]: function (n) { f[2] = nan; return new ArrayBuffer(n); } }; return new Uint32Array(buffer.slice(-8, 12))[1];',
    ],
    [
      'bytes that are copied across floats by an index that writes',
      'const f = new Float32Array(3), b = new Uint8Array(f.buffer);',
      'b.copyWithin({ valueOf() { f[1] = nan; return 7; } }, 4, 8); return b[10] * 2 ** 24 + b[9] * 2 ** 16;',
    ],
    ['floats that were filled', integersFirst, 'f.fill(nan); return u[1];'],
    ['floats that were set', integersFirst, 'f.set([0, nan]); return u[1];'],
    [
      'floats while they are set',
      integersFirst,
      'let seen = 0; f.set([0, nan, { valueOf() { seen = u[1]; return 0; } }]); return seen === 0 ? u[1] : seen;',
    ],
  ])('has one NaN beyond the first element, in %s', (_name, made, use) => {
    const script = `(() => { ${made} const nan = Math.sqrt(+'-1'); ${use} })()`;
    expect(value(script)).toBe(0x7fc0_0000);
  });

  it.each([
    ['method', 'hand() { return [this]; }', 'v.hand()[0]'],
    ['getter', 'get hand() { return this; }', 'v.hand'],
    ['setter', 'set hand(value) { value[0] = this; }', '((held) => { v.hand = held; return held[0]; })([])'],
    ['getter instead of one of all views', 'get length() { return this; }', 'v.length'],
    ['method that a method calls', 'join() { own = this; return String(); }', '(String(v), own)'],
    ['byteOffset', "get byteOffset() { return 4 * +'3'; }", 'v'],
  ])('has one NaN for a subclass with its own %s', (_name, member, own) => {
    const script = `(() => {
      let own;
      class Words extends Uint32Array { ${member} }
      const f = new Float32Array(3), v = new Words(f.buffer);
      const seen = ${own};
      f[1] = Math.sqrt(+'-1');
      return seen[1];
    })()`;
    expect(value(script)).toBe(0x7fc0_0000);
  });

  it('sets in a view of something else what a typed array sets', () => {
    const sources =
      '[new Set([1, 2]), Float32Array.of(1, 2).buffer, { length: 2, 0: 5, 1: 6 }, [, 3], Int8Array.of(7, 8)]';
    const contents = (made: string): string =>
      `${sources}.map((source) => { const g = ${made}; g.set(source, 1); return [...g].map(String); })`;
    expect(value(contents('new Float32Array(new Int32Array(3).buffer)'))).toEqual(
      value(contents('new Float32Array(3)')),
    );
  });

  it('calls the methods that a sketch gives all views', async () => {
    const other = await pinnedRealm();
    const script = `(() => {
      ${floatsFirst}
      Object.getPrototypeOf(Uint8Array.prototype).map = function () { return this === u; };
      return u.map();
    })()`;
    expect(evaluate(other, script)).toBe(true);
  });

  it.each([
    'Float32Array = class {}',
    'Number = () => NaN',
    'Math.floor = Math.ceil = Math.min = () => 0',
    "Object.defineProperty(ArrayBuffer.prototype, 'byteLength', { get: () => 0 })",
    'Array.prototype[Symbol.iterator] = function* () {}',
  ])('has one NaN where the sketch replaced a builtin: %s', async (replacement) => {
    const other = await pinnedRealm();
    const script = `(() => {
      const f = new Float32Array(3), { buffer } = f, nan = Math.sqrt(+'-1');
      const Words = Uint32Array;
      ${replacement};
      const u = new Words(buffer);
      f[1] = nan;
      return u[1];
    })()`;
    expect(evaluate(other, script)).toBe(0x7fc0_0000);
  });

  it('keeps the methods of a view of something else', () => {
    const both = 'const i = Int32Array.of(3, 1, 2), v = new Uint8Array(i.buffer), f = new Float32Array(i.buffer);';
    const calls =
      '[f.map(() => 2) instanceof Float32Array, [...f.map(() => 1.5)], f.filter((x, at) => at > 0).length, f.with(0, 7)[0], f.slice(1).length, f.includes(0), f.at(-1) > 0, [...v.entries()][4], v.reduce((a, b) => a + b), (f.set([1, 2], 1), [...f.subarray(1)])]';
    expect(value(`(() => { ${both} return ${calls}; })()`)).toEqual([
      ...[true, [1.5, 1.5, 1.5], 2, 7, 2, false, true, [4, 1], 6, [1, 2]],
    ]);
  });

  it('copies the parts of a buffer that the language copies', () => {
    const part = (indexes: string): unknown =>
      value(`[...new Uint8Array(Uint8Array.of(1, 2, 3).buffer.slice(${indexes}))]`);
    expect(['', '1', '-2', '1, -1', '2, 1', '"1"', 'NaN, 1', '-9, 9', 'undefined, 1.9'].map(part)).toEqual([
      ...[[1, 2, 3], [2, 3], [2, 3], [2], [], [2, 3], [1], [1, 2, 3], [1]],
    ]);
    expect(value('new (class Own extends ArrayBuffer {})(8).slice(4).constructor.name')).toBe('Own');
  });

  it('keeps tricks with the bits of a float', () => {
    expect(value('(() => { const f = Float32Array.of(1.5, -2); return [...new Int32Array(f.buffer)]; })()')).toEqual([
      0x3fc0_0000, -0x4000_0000,
    ]);
    const inverseRoot =
      '(() => { const f = new Float32Array(1), i = new Int32Array(f.buffer); f[0] = 4; i[0] = 0x5f3759df - (i[0] >> 1); return f[0].toFixed(2); })()';
    expect(value(inverseRoot)).toBe('0.48');
    expect(
      value(
        '(() => { const p = new Uint8ClampedArray(4), w = new Uint32Array(p.buffer); w[0] = 0xff112233; return [...p]; })()',
      ),
    ).toEqual([0x33, 0x22, 0x11, 0xff]);
  });

  it('keeps what typed arrays can do', () => {
    expect(value('[class A extends Float32Array {}].map((A) => new A(3).length)')).toEqual([3]);
    expect(value('new Float32Array([1, 2]).map((x) => x * 2) instanceof Float32Array')).toBe(true);
    expect(
      value(
        '(() => { const f = new Float32Array(4), u = new Uint8Array(f.buffer, 4, 8); u.fill(1); return [u.length, u.indexOf(1), f[1] > 0]; })()',
      ),
    ).toEqual([8, 0, true]);
  });

  it('shows no stack trace', () => {
    expect(value("[new Error('x').stack, typeof Error.captureStackTrace]")).toEqual(['', 'undefined']);
  });
});
