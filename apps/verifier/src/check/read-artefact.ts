import { isJsonObject, JsonError, member, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { PROJECT, type Finding } from '@cer/cer-core';

/** The input, parsed to distinguish a certificate from a project. */
export type Artefact =
  | { readonly kind: 'certificate'; readonly value: JsonValue }
  | { readonly kind: 'project'; readonly value: JsonObject }
  | { readonly kind: 'unreadable'; readonly finding: Finding };

/** Reads strict JSON. A fault is a finding, for the person holding the file should hear which rule it breaks. */
export function readArtefact(source: Uint8Array | string): Artefact {
  let value: JsonValue;
  try {
    value = parseJson(source, { skipsByteOrderMark: true });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const detail = error.path === '' ? error.message : error.message.slice(error.path.length + 2);
    return {
      kind: 'unreadable',
      finding: { code: 'SCHEMA_ERROR', member: error.path, detail, reason: 'BUNDLE_CORRUPTED' },
    };
  }
  const project = projectIn(value);
  return project === null ? { kind: 'certificate', value } : { kind: 'project', value: project };
}

/** By itself or inside `{bundle}`. */
function projectIn(value: JsonValue): JsonObject | null {
  if (!isJsonObject(value)) return null;
  if (member(value, 'bundleType') === PROJECT) return value;
  const inner = member(value, 'bundle');
  return isJsonObject(inner) && member(inner, 'bundleType') === PROJECT ? inner : null;
}
