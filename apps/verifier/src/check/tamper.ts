import { isJsonArray, isJsonObject, parseJson, type JsonValue } from '@cer/canonical-json';
import { openSource } from './picture-source.js';
import { leavesOf, memberPath } from './compare-members.js';

/** The members of a copy that a demonstration may change: texts, numbers and flags. */
export function tamperablePaths(source: Uint8Array | string): string[] {
  const leaves = leavesOf(bundleIn(parseJson(openSource(source).json, { skipsByteOrderMark: true })));
  return [...leaves].filter(([, value]) => value === null || typeof value !== 'object').map(([path]) => path);
}

/**
 * A copy of the artefact with one value changed a little: a letter swapped, a number one up, a flag turned.
 * @returns JSON text; the original is untouched
 */
export function tamperedCopy(source: Uint8Array | string, path: string): string {
  const whole = parseJson(openSource(source).json, { skipsByteOrderMark: true });
  const isPackaged = isJsonObject(whole) && isJsonObject(whole['cer']);
  const changed = changeAt(bundleIn(whole), path, '');
  return JSON.stringify(isPackaged && isJsonObject(whole) ? { ...whole, cer: changed } : changed);
}

function bundleIn(whole: JsonValue): JsonValue {
  return isJsonObject(whole) && isJsonObject(whole['cer']) ? whole['cer'] : whole;
}

function changeAt(value: JsonValue, path: string, at: string): JsonValue {
  if (at === path) return changedALittle(value);
  if (isJsonArray(value)) {
    return value.map((item, index) => changeAt(item, path, `${at}[${index}]`));
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).flatMap(([name, item]): [string, JsonValue][] =>
    item === undefined ? [] : [[name, changeAt(item, path, memberPath(at, name))]],
  );
  return Object.fromEntries(entries);
}

function changedALittle(value: JsonValue): JsonValue {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string' && value !== '') return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
  return 'changed';
}
