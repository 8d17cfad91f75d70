// Everything that could move the cursor, change colours, reorder or hide text: C0, DEL and C1 controls, line and
// paragraph separators, format characters (directional marks, zero-width ones), lone surrogates, private use.
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

const MAX_SHOWN = 300;

/**
 * Text of unknown origin, made safe to print on a terminal: control characters are shown as escapes.
 * @param maxLength longer text is cut, and the cut is shown
 */
export function printable(text: string, maxLength: number = MAX_SHOWN): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  return shown.replace(unsafe, escapeCharacter);
}

/** JSON that a terminal may show: the same value, with every character a terminal might obey written as an escape. */
export function printableJson(value: unknown, indent: 0 | 2 = 2): string {
  const json = JSON.stringify(value, null, indent);
  // Only the line breaks of indentation remain: inside strings JSON.stringify escaped them.
  return json.replace(unsafe, (character) => (character === '\n' ? character : escapeForJson(character)));
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function escapeForJson(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}
