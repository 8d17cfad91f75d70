import { isJsonObject, JsonError, member, parseJson, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { CerError, PROJECT, type Finding } from '@cer/cer-core';
import { openSource, type Source } from './picture-source.js';

/** The input, parsed to distinguish a certificate from a project. */
export type Artefact =
  | { readonly kind: 'certificate'; readonly value: JsonValue; readonly png: Source['png'] }
  | { readonly kind: 'project'; readonly value: JsonValue; readonly project: JsonObject }
  | { readonly kind: 'unreadable'; readonly finding: Finding };

/**
 * Reads strict JSON, by itself or in a picture. A fault is a finding, so that the holder of the file learns which rule
 * it breaks.
 */
export function readArtefact(source: Uint8Array | string): Artefact {
  let value: JsonValue;
  let png: Source['png'];
  try {
    const opened = openSource(source);
    png = opened.png;
    value = parseJson(opened.json, { skipsByteOrderMark: true });
  } catch (error) {
    if (!(error instanceof JsonError || error instanceof CerError)) throw error;
    const detail = error.path === '' ? error.message : error.message.slice(error.path.length + 2);
    return {
      kind: 'unreadable',
      finding: { code: 'SCHEMA_ERROR', member: error.path, detail, reason: 'BUNDLE_CORRUPTED' },
    };
  }
  // A picture has a certificate: a project bundle in one fails as such.
  const project = png === null ? projectIn(value) : null;
  return project === null ? { kind: 'certificate', value, png } : { kind: 'project', value, project };
}

/** By itself or inside `{bundle}`. */
function projectIn(value: JsonValue): JsonObject | null {
  if (!isJsonObject(value)) return null;
  if (member(value, 'bundleType') === PROJECT) return value;
  const inner = member(value, 'bundle');
  return isJsonObject(inner) && member(inner, 'bundleType') === PROJECT ? inner : null;
}
