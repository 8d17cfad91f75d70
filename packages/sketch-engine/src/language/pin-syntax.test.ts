import { describe, expect, it } from '@jest/globals';
import { pinSyntax, SketchRuleError, SketchSyntaxError } from './pin-syntax.js';
import { createPower } from './power.js';

/** The result of a function with this body once its operators are calls. */
function run(body: string): unknown {
  const pinned = pinSyntax(`function body() { ${body}\n}`);
  const make = (0, eval)(`(__power) => { ${pinned}; return body(); }`) as (power: unknown) => unknown;
  return make(createPower(Math.pow));
}

describe('The power operator', () => {
  it.each([
    ['return 2 ** 10', 1024],
    ['return(2)**(3)', 8],
    ['return 2 ** 3 ** 2', 512],
    ['return (2 ** 3) ** 2', 64],
    ['return (-2) ** 3 + 1', -7],
    ['const f = x=>x**2; return f(5)', 25],
    ['return `${2 ** 4}`', '16'],
    ['return 2 /* ** */ ** /**/ 3', 8],
    ['return [1, 2, 3].map((x) => x ** 2 ** x)', [1, 16, 6561]],
    ['return 7n ** 20n', 7n ** 20n],
    ['return ({ valueOf: () => 3 }) ** "2"', 9],
    ['let x = 3; x **= 2; return x', 9],
    ['let x = 3; return x **= x **= 2', 19683],
    ['const o = { a: 2 }; o.a **= 5; return o', { a: 32 }],
    ['const o = { a: { b: 2 } }; (o.a).b **= 5; (o.a.b) **= 2; return o.a.b', 1024],
    ['let i = 0; const a = [3, 4]; a[i++] **= 2; return [a, i]', [[9, 4], 1]],
    ['let calls = 0; const f = () => (calls++, { x: 2 }); f().x **= 3; return calls', 1],
    ['const o = { a: 2 }; o.a **= (o.a = 10, 3); return o.a', 8],
    ['const o = Object.freeze({ a: 2 }); return [o.a **= 2, o.a]', [4, 2]],
    ['return 3\n** 2', 9],
  ])('is computed by the function: %j', (body, value) => {
    expect(pinSyntax(`function body() { ${body}\n}`)).toContain('__power');
    expect(run(body)).toEqual(value);
  });

  it.each(['1n ** 1', '1 ** 1n', '2n ** -1n', 'null.x **= 2', 'Symbol() ** 2'])(
    'throws as the operator: %j',
    (body) => {
      expect(() => run(body)).toThrow();
    },
  );

  it('keeps every line where it was', () => {
    const script = 'let a = 1;\n\na **= 2;\nfoo(a ** 2,\n  a ** 3);\n';
    const lines = (text: string): number[] => text.split('\n').map((line) => line.replace(/[^;]/g, '').length);
    expect(lines(pinSyntax(script))).toEqual(lines(script));
  });

  it('leaves a script without it untouched', () => {
    const script = '/** a ** b */ const text = "2 ** 3"; const re = /**/ 5;';
    expect(pinSyntax(script)).toBe(script);
  });
});

describe('A script that does not parse', () => {
  it.each([
    ['let a = 1;\nlet b = ;', 2],
    ['a **', 1],
    ['-a ** 2', 1],
    ['class A { #x = 2; f() { this.#x **= 2; } }', 1],
    ['using x = y', 1],
    ['/a/v.test(\n"b")', 1],
    ['await 1 ** 2\n', 1],
  ])('is refused with its line: %j', (script, line) => {
    expect(() => pinSyntax(script)).toThrow(SketchSyntaxError);
    expect(() => pinSyntax(script)).toThrow(expect.objectContaining({ line }));
  });

  it.each(['import p5 from "p5";', 'export default function setup() {}'])('is not a module: %s', (script) => {
    expect(() => pinSyntax(script)).toThrow('a sketch is one script, without import and export');
  });

  it('is refused when nested too deeply', () => {
    expect(() => pinSyntax('('.repeat(200_000))).toThrow('nested too deeply');
  });
});

describe('What a sketch catches', () => {
  interface Catches {
    readonly thrown: unknown;
    readonly before: Catches | undefined;
  }

  /** Runs a body. @returns its value, and everything that a check was asked about */
  const caughtIn = (body: string): { readonly value: unknown; readonly seen: readonly unknown[] } => {
    const pinned = pinSyntax(`function body() { ${body}\n}`);
    const seen: unknown[] = [];
    const make = (0, eval)(
      `(__power, see) => { let __catches; const __caught = () => { see(__catches); __catches = undefined; }; ${pinned}; return body(); }`,
    ) as (power: unknown, see: (catches: Catches | undefined) => void) => unknown;
    const value = make(createPower(Math.pow), (catches) => {
      for (let at = catches; at !== undefined; at = at.before) seen.push(at.thrown);
    });
    return { value, seen };
  };

  it.each([
    ["try { throw 'a' } catch (e) { return e }", 'a'],
    ["try { throw 'a' } catch { return 1 }", 1],
    ["try { throw 'a' } catch ({ length, b = 2 ** 3 }) { return length + b }", 9],
    ["try { throw 'a' } finally { return 2 }", 2],
    ["try { throw 'b' } catch { throw 'a' } finally { return 1 }", 1],
    ["try { } finally { try { throw 'a' } finally { return 1 } }", 1],
    [
      "let log = ''; try { try { throw 'a' } catch (e) { log += e; throw 'b' } finally { log += 'f' } } catch (e) { return log + e }",
      'afb',
    ],
    [
      "for (const x of [1, 2]) { try { if (x === 1) throw 'a'; } catch { continue } finally { if (x === 2) return x } }",
      2,
    ],
    ["a: try { throw 'a' } catch (e) { break a } finally { 2**2 }\nreturn 'after'", 'after'],
    [
      "const g = (function* () { try { yield 1 } finally { throw 'a' } })(); g.next(); for (const x of [1]) try { g.return() } catch { return x }",
      1,
    ],
  ])('is what it was, and is shown to the check: %j', (body, value) => {
    const caught = caughtIn(body);
    expect(caught.value).toBe(value);
    expect(caught.seen).toContain('a');
  });

  it('cannot be hidden by a name of the sketch', () => {
    for (const script of ['let __caught', 'const o = { \\u005f_caught() {} }', 'x.__thrown', 'function f(__power) {}'])
      expect(() => pinSyntax(script)).toThrow('is not a name for sketches');
    expect(() => pinSyntax('with (a) { (() => { try { b } catch {} })() }')).toThrow('try does not work within with');
    expect(pinSyntax('with (Math) { abs(1) }')).toBe('with (Math) { abs(1) }');
  });

  it('is never asynchronous', () => {
    for (const script of ['async function f() {}', 'x = async () => 1', '\n({ async *g() {} })'])
      expect(() => pinSyntax(script)).toThrow(SketchRuleError);
    expect(() => pinSyntax('\n(async () => {})')).toThrow(expect.objectContaining({ line: 2 }));
    expect(pinSyntax('const async = 1; async + 2')).toBe('const async = 1; async + 2');
  });
});
