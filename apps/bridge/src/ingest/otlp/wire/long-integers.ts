const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const BACKSLASH = 0x5c;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
/** Characters of an integer that a double may not hold, and of the longest one of 64 bits. */
const MIN_LENGTH = 16;
const MAX_LENGTH = 20;
const INTEGER = /^-?\d+$/;

/**
 * JSON with its long integers as text, which is how protobuf's JSON mapping writes 64-bit numbers; it reads both.
 * @param json bytes that are JSON
 */
export function withLongIntegersAsText(json: Buffer): Buffer {
  const parts: Buffer[] = [];
  const quote = Buffer.of(QUOTE);
  let taken = 0;
  let at = 0;
  while (at < json.length) {
    const byte = json[at];
    if (byte === QUOTE) at = afterText(json, at);
    else if (byte === MINUS || isDigit(byte)) {
      const end = afterNumber(json, at);
      const length = end - at;
      if (length >= MIN_LENGTH && length <= MAX_LENGTH && INTEGER.test(json.toString('latin1', at, end))) {
        parts.push(json.subarray(taken, at), quote, json.subarray(at, end), quote);
        taken = end;
      }
      at = end;
    } else at += 1;
  }
  return taken === 0 ? json : Buffer.concat([...parts, json.subarray(taken)]);
}

function afterText(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function afterNumber(json: Buffer, start: number): number {
  let at = start + 1;
  while (isDigit(json[at]) || isSign(json[at])) at += 1;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** A character of a number that is not a digit. */
function isSign(byte: number | undefined): boolean {
  return byte === POINT || byte === LOWER_E || byte === UPPER_E || byte === PLUS || byte === MINUS;
}
