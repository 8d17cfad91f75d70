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
  if (!isJsonObject(input)) return refused('', 'must be an object');
  const forms = ['snapshot', 'cer', 'bundle'].filter((name) => Object.hasOwn(input, name));
  if (forms.length > 1) return refused('', `is ambiguous: it has ${forms.join(' and ')}`);
  const inner = member(input, 'bundle');
  if (inner !== undefined) {
    if (!isJsonObject(inner)) return refused('bundle', 'must be an object');
    if (Object.hasOwn(inner, 'bundle')) return refused('bundle', 'must be a bundle or a package');
    return unwrap(inner);
  }
  const cer = member(input, 'cer');
  if (cer === undefined) return { bundle: input, packaging: null };
  return isJsonObject(cer) ? { bundle: cer, packaging: input } : refused('cer', 'must be an object');
}

function refused(path: string, rule: string): Unwrapped {
  return { bundle: null, finding: schemaFinding(path, rule) };
}
