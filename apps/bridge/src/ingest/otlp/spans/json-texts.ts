import { isJsonArray, isJsonObject, type JsonValue } from '@cer/canonical-json';
import type { Span } from './span.js';

/** All texts of a span that begin like JSON of an object or a list: those that are parsed are among them. */
export function jsonTextsOf({ attributes, events }: Span): readonly string[] {
  const texts: string[] = [];
  for (const holder of [attributes, ...events.map((event) => event.attributes)]) {
    for (const value of holder.values()) addJsonTexts(value, texts);
  }
  return texts;
}

function addJsonTexts(value: JsonValue | undefined, texts: string[]): void {
  if (typeof value === 'string') {
    if (/^\s*[[{]/.test(value)) texts.push(value);
  } else if (isJsonArray(value)) {
    for (const element of value) addJsonTexts(element, texts);
  } else if (isJsonObject(value)) {
    for (const element of Object.values(value)) addJsonTexts(element, texts);
  }
}
