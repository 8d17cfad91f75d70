/** `a ** b`, as `pinSyntax` writes it. */
export interface Power {
  (base: unknown, exponent: unknown): unknown;
  /** `target[key] **= exponent` is `power.at(target, key).by(exponent)`: target and key are evaluated once. */
  at(target: object, key: PropertyKey): { by(exponent: unknown): unknown };
}

/** Makes the operator from the pinned `Math.pow`, which is taken at once. BigInts are exact in every engine. */
export function createPower(pow: (base: number, exponent: number) => number): Power {
  const { freeze } = Object;
  const { set } = Reflect;
  const power = (base: unknown, exponent: unknown): unknown => {
    if (typeof base === 'number' && typeof exponent === 'number') return pow(base, exponent);
    const a = numericOf(base);
    const b = numericOf(exponent);
    if (typeof a === 'number' && typeof b === 'number') return pow(a, b);
    if (typeof a === 'bigint' && typeof b === 'bigint') return a ** b;
    throw new TypeError('Cannot mix BigInt and other types, use explicit conversions');
  };
  const at: Power['at'] = (target, key) => {
    const base = (target as Readonly<Record<PropertyKey, unknown>>)[key];
    return freeze({
      by(exponent: unknown): unknown {
        const result = power(base, exponent);
        // As in sloppy code: a frozen target is left as it is.
        if (typeof target === 'object' || typeof target === 'function') set(target, key, result);
        return result;
      },
    });
  };
  return freeze(Object.assign(power, { at }));
}

/** The numeric value that the operators of the language use: a number or a BigInt. */
function numericOf(value: unknown): unknown {
  if (typeof value === 'number') return value;
  let counted = value as number;
  return counted++;
}
