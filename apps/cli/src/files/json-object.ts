import { isJsonObject, JsonError, parseJson, type JsonObject } from '@cer/canonical-json';

/** The object that strict JSON holds; null for any other value, and for text that is not strict JSON. */
export function jsonObjectIn(json: Uint8Array | string): JsonObject | null {
  try {
    const value = parseJson(json);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
