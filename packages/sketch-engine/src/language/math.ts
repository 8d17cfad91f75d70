type MathFunction = (...values: number[]) => number;

/**
 * Replaces every function of `Math` whose last bits the language leaves to the engine. Chromium's own call the C library
 * of the machine, which takes other code on other processors.
 */
export function pinMath(math: Math, moduleBase64: string): void {
  for (const name of ['f16round', 'sumPrecise']) Reflect.deleteProperty(math, name);
  for (const [name, act] of Object.entries(instantiate(moduleBase64))) replace(math, name, act, act.length);
  replace(math, 'hypot', hypot, 2);
}

function instantiate(moduleBase64: string): Readonly<Record<string, MathFunction>> {
  const bytes = Uint8Array.from(atob(moduleBase64), (character) => character.charCodeAt(0));
  // Without imports there is nothing that could differ.
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return exports as Readonly<Record<string, MathFunction>>;
}

function replace(target: object, name: string, act: MathFunction, length: number): void {
  Object.defineProperty(act, 'name', { value: name, configurable: true });
  Object.defineProperty(act, 'length', { value: length, configurable: true });
  Object.defineProperty(target, name, { value: act, writable: true, configurable: true, enumerable: false });
}

const { abs, sqrt } = Math;

/** Scaled by the largest value, so that no square overflows; the sum is compensated (Kahan). */
const hypot = (...values: number[]): number => {
  let largest = 0;
  let isNaN = false;
  for (let i = 0; i < values.length; i++) {
    const size = abs(values[i] as number);
    values[i] = size;
    if (size !== size) isNaN = true;
    else if (size > largest) largest = size;
  }
  if (largest === Infinity) return Infinity;
  if (isNaN) return NaN;
  if (largest === 0) return 0;
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const ratio = (values[i] ?? 0) / largest;
    const square = ratio * ratio - lost;
    const next = sum + square;
    lost = next - sum - square;
    sum = next;
  }
  return sqrt(sum) * largest;
};
