import { visibleText } from '@cer/canonical-json';

const MAX_SHOWN = 300;

/**
 * Text of unknown origin, made safe to print on a terminal: control characters are shown as escapes.
 * @param maxLength longer text is cut, and the cut is shown
 */
export function printable(text: string, maxLength: number = MAX_SHOWN): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return visibleText(shown);
}

/** JSON that a terminal may show: the same value, with every character a terminal might obey written as an escape. */
export function printableJson(value: unknown, indent: 0 | 2 = 2): string {
  const json = JSON.stringify(value, null, indent);
  // Only the line breaks of indentation remain: inside strings JSON.stringify escaped them.
  return visibleText(json, (character) => (character === '\n' ? character : escapeForJson(character)));
}

function escapeForJson(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}
