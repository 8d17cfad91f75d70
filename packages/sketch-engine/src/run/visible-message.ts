/** Maximum length of a sketch's message; it is cut in the sketch's own realm, so that no long text leaves it. */
export const MAX_MESSAGE_CHARACTERS = 2048;

/** Controls, format characters (directional marks and those of no width), separators, lone surrogates, private use. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * A message of a sketch, as services and terminals may show it: characters that move, hide or reorder text are written by
 * their number, `\u{202e}` for one. Cut to the length of a message.
 */
export function visibleMessage(text: string): string {
  const shown = text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
  return shown.slice(0, MAX_MESSAGE_CHARACTERS);
}
