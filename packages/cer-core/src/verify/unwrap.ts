import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { schemaFinding, type Finding } from '../finding.js';

/** A bundle and, when it came in a package, the members around it. */
export type Unwrapped =
  | { readonly bundle: JsonObject; readonly packaging: JsonObject | null }
  | { readonly bundle: null; readonly finding: Finding };

/**
 * Finds the bundle in the input: a bundle, a package `{cer, receipt, …}` (a saved certify or lookup response is one),
 * or either inside `{bundle}`. @see docs/spec.md, "Packages"
 */
export function unwrap(input: unknown): Unwrapped {
  const inner = isJsonObject(input) ? member(input, 'bundle') : undefined;
  if (!isJsonObject(input) || inner === undefined) return unwrapPackage(input, '');
  const ambiguous = ambiguity(input, '');
  if (ambiguous !== null) return ambiguous;
  if (isJsonObject(inner) && Object.hasOwn(inner, 'bundle')) return refused('bundle', 'must be a bundle or a package');
  return unwrapPackage(inner, 'bundle');
}

function unwrapPackage(value: unknown, path: '' | 'bundle'): Unwrapped {
  if (!isJsonObject(value)) return refused(path, 'must be an object');
  const ambiguous = ambiguity(value, path);
  if (ambiguous !== null) return ambiguous;
  const cer = member(value, 'cer');
  if (cer === undefined) return { bundle: value, packaging: null };
  if (isJsonObject(cer)) return { bundle: cer, packaging: value };
  return refused(path === '' ? 'cer' : `${path}.cer`, 'must be an object');
}

function ambiguity(value: JsonObject, path: string): Unwrapped | null {
  const forms = ['snapshot', 'cer', 'bundle'].filter((name) => Object.hasOwn(value, name));
  return forms.length > 1 ? refused(path, `is ambiguous: it has ${forms.join(' and ')}`) : null;
}

function refused(path: string, rule: string): Unwrapped {
  return { bundle: null, finding: schemaFinding(path, rule) };
}
