/** Characters of an integer that a double may not hold. */
const MIN_LENGTH = 16;
/** Maximum characters of an integer that is written as text. */
const MAX_LENGTH = 40;
const INTEGER = /^-?\d+$/;
const NUMBER_UNITS = '0123456789+-.eE';

/**
 * JSON with its long integers as text, which is how protobuf's JSON mapping writes 64-bit numbers.
 * @param json text that is JSON, or its UTF-8 bytes as Latin-1
 */
export function withLongIntegersAsText(json: string): string {
  const parts: string[] = [];
  let taken = 0;
  let at = 0;
  while (at < json.length) {
    const unit = json.charAt(at);
    if (unit === '"') at = afterText(json, at);
    else if (NUMBER_UNITS.includes(unit)) {
      const end = afterNumber(json, at);
      const literal = end - at < MIN_LENGTH || end - at > MAX_LENGTH ? '' : json.slice(at, end);
      if (INTEGER.test(literal)) {
        parts.push(json.slice(taken, at), '"', literal, '"');
        taken = end;
      }
      at = end;
    } else at += 1;
  }
  return taken === 0 ? json : parts.join('') + json.slice(taken);
}

function afterText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

/** The `e` of `true` and `false` is one too: it is no number, and is passed over. */
function afterNumber(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && NUMBER_UNITS.includes(json.charAt(at))) at += 1;
  return at;
}
