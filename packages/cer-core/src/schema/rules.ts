import { isJsonArray, isJsonObject, isWellFormed, type JsonValue } from '@cer/canonical-json';
import { isTimestamp } from '@cer/keys';

// Rules that requests and bundles share. Each returns the sentence that names the broken rule, or null.
// @see docs/spec.md, "Members and their rules"

export type Rule = (value: JsonValue) => string | null;

export const MAX_LABEL_LENGTH = 256;

/** U+0000 to U+001F and U+007F to U+009F. By a loop: names are too short for the start of a regular expression. */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0)) return true;
  }
  return false;
}

export const nonEmptyText: Rule = (value) =>
  typeof value === 'string' && value !== '' ? null : 'must be a non-empty string';

/** Provider, model and the like: 1 to 256 UTF-16 code units, no control characters. */
export const label: Rule = (value) => {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < 1 || value.length > MAX_LABEL_LENGTH) return `must have 1 to ${MAX_LABEL_LENGTH} characters`;
  return hasControlCharacter(value) ? 'must not contain control characters' : null;
};

export const wellFormedLabel: Rule = (value) =>
  label(value) ?? (typeof value === 'string' && !isWellFormed(value) ? 'must not contain a lone surrogate' : null);

export const timestamp: Rule = (value) =>
  isTimestamp(value) ? null : 'must be an ISO-8601 timestamp with seconds and a time zone';

export const plainObject: Rule = (value) => (isJsonObject(value) ? null : 'must be an object');

/** Input and output: a string, an object or an array. */
export const rawValue: Rule = (value) => {
  if (typeof value === 'string') return isWellFormed(value) ? null : 'must not contain a lone surrogate';
  return typeof value === 'object' && value !== null ? null : 'must be a string, an object or an array';
};

const finiteNumber: Rule = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? null : 'must be a finite number';

export function orNull(rule: Rule): Rule {
  return (value) => (value === null ? null : (rule(value)?.replace(/$/, ' or null') ?? null));
}

const parameterRules: ReadonlyMap<string, Rule> = new Map([
  ['temperature', finiteNumber],
  ['maxTokens', finiteNumber],
  ['topP', orNull(finiteNumber)],
  ['seed', orNull(finiteNumber)],
]);

/** Recognizes a value that is exempt from the rules: in a reseal, a removed one. */
export type Exemption = (value: JsonValue | undefined) => boolean;

const never: Exemption = () => false;

export interface Fault {
  readonly path: string;
  readonly rule: string;
}

/** Maximum faults reported per array, since a body within its limit may hold millions. @see docs/spec.md, "Limits" */
export const MAX_ARRAY_FAULTS = 1000;

/** The faults of an array's elements in order, up to the maximum. */
export function faultsOfElements<T, F>(
  elements: readonly T[],
  faultsOf: (element: T, index: number) => readonly F[],
): F[] {
  const faults: F[] = [];
  let index = 0;
  for (const element of elements) {
    if (faults.length >= MAX_ARRAY_FAULTS) break;
    faults.push(...faultsOf(element, index));
    index += 1;
  }
  return faults.length > MAX_ARRAY_FAULTS ? faults.slice(0, MAX_ARRAY_FAULTS) : faults;
}

/**
 * @param exact the names that must all be there and no other, or null where `parameters` is free beyond its typed members
 * @param isExempt tells removed values, where some may be; then members may be absent too
 */
export function parameterFaults(
  value: JsonValue,
  path: string,
  exact: readonly string[] | null,
  isExempt: Exemption = never,
): Fault[] {
  if (!isJsonObject(value)) return [{ path, rule: 'must be an object' }];
  const faults: Fault[] = [];
  for (const name of exact ?? []) {
    if (isExempt === never && !Object.hasOwn(value, name))
      faults.push({ path: `${path}.${name}`, rule: 'is required' });
  }
  let hasOther = false;
  for (const [name, parameter] of Object.entries(value)) {
    if (parameter === undefined || isExempt(parameter)) continue;
    if (exact !== null && !exact.includes(name)) {
      hasOther = true;
      continue;
    }
    const rule = parameterRules.get(name)?.(parameter) ?? null;
    if (rule !== null) faults.push({ path: `${path}.${name}`, rule });
  }
  if (exact !== null && hasOther) faults.push({ path, rule: `must have exactly ${exact.join(', ')}` });
  return faults;
}

const signalRules: readonly (readonly [string, Rule])[] = [
  ['type', nonEmptyText],
  ['source', nonEmptyText],
  ['payload', plainObject],
];

/** Signals: an array of objects with `type`, `source` and `payload`; other members are not checked. */
export function signalFaults(value: JsonValue, path: string, isExempt: Exemption = never): Fault[] {
  if (isExempt(value)) return [];
  if (!isJsonArray(value)) return [{ path, rule: 'must be an array' }];
  return faultsOfElements(value, (signal, index) =>
    isExempt(signal) ? [] : memberFaults(signal, `${path}[${index}]`, signalRules, isExempt),
  );
}

function memberFaults(
  value: JsonValue,
  path: string,
  rules: readonly (readonly [string, Rule])[],
  isExempt: Exemption,
): Fault[] {
  if (!isJsonObject(value)) return [{ path, rule: 'must be an object' }];
  const faults: Fault[] = [];
  for (const [name, rule] of rules) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (isExempt(found)) continue;
    const broken = found === undefined ? 'is required' : rule(found);
    if (broken !== null) faults.push({ path: `${path}.${name}`, rule: broken });
  }
  return faults;
}

/** The `context` of a bundle or request: an object; its signals obey the signal rules. */
export function contextFaults(value: JsonValue, signalsRequired: boolean, isExempt: Exemption = never): Fault[] {
  if (!isJsonObject(value)) return [{ path: 'context', rule: 'must be an object' }];
  const signals = Object.hasOwn(value, 'signals') ? value['signals'] : undefined;
  if (signals !== undefined) return signalFaults(signals, 'context.signals', isExempt);
  return signalsRequired ? [{ path: 'context.signals', rule: 'is required' }] : [];
}
