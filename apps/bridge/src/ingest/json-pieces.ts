const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;

/** Maximum containers and members of a body or a line together: bounds its memory and time, whatever its bytes. */
export const MAX_PIECES = 1_500_000;

/**
 * Whether JSON text has at most `MAX_PIECES` containers and members together. Text of a few megabytes can describe objects
 * of a gigabyte, so it is checked before parsing. The result for text that is not JSON is unspecified.
 */
export function hasFewPieces(text: Uint8Array): boolean {
  return text.length <= MAX_PIECES || countPieces(text) <= MAX_PIECES;
}

/** The same for JSON texts that are parsed together. */
export function haveFewPieces(texts: readonly string[]): boolean {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= MAX_PIECES) return true;
  let pieces = 0;
  return texts.every((text) => (pieces += countPieces(Buffer.from(text))) <= MAX_PIECES);
}

/** Ends above `MAX_PIECES`. */
function countPieces(text: Uint8Array): number {
  let pieces = 0;
  let isInString = false;
  for (let at = 0; at < text.length && pieces <= MAX_PIECES; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) pieces += 1;
  }
  return pieces;
}
