/** Controls, format characters (directional marks and those of no width), separators, lone surrogates, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Text of unknown origin, as messages and terminals may show it: characters that move, hide or reorder text are written
 * by their number, `\u{202e}` for one.
 * @param escape writes such a character in another way
 */
export function visibleText(text: string, escape = byNumber): string {
  return text.replace(UNSEEN, escape);
}

function byNumber(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
