import { visibleText } from '@cer/canonical-json';

/** Maximum length of a sketch's message; it is cut in the sketch's own realm, so that no long text leaves it. */
export const MAX_MESSAGE_CHARACTERS = 2048;

/**
 * A message of a sketch, as services and terminals may show it: characters that move, hide or reorder text are written by
 * their number, `\u{202e}` for one. Cut to the length of a message.
 */
export function visibleMessage(text: string): string {
  return visibleText(text).slice(0, MAX_MESSAGE_CHARACTERS);
}
