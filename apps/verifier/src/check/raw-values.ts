import { isJsonArray, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash, REDACTED } from '@cer/cer-core';
import { isSealedValue } from '@cer/cer-core/verify';

/** The members whose raw values are never shown. */
export const RAW_VALUE_NAMES: ReadonlySet<string> = new Set(['input', 'output']);

/** Does the bundle hold raw input or output, of the execution itself or of one of its tools? */
export function holdsRawValues(bundle: JsonObject): boolean {
  const snapshot = member(bundle, 'snapshot');
  // A flat record of an older form has its members at the top.
  const holder = isJsonObject(snapshot) ? snapshot : bundle;
  const calls = member(holder, 'toolCalls');
  const places = [holder, ...(isJsonArray(calls) ? calls.filter(isJsonObject) : [])];
  return places.some((place) => [...RAW_VALUE_NAMES].some((name) => isRaw(member(place, name))));
}

function isRaw(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== REDACTED && !isSealedValue(value) && !isSha256Hash(value);
}
