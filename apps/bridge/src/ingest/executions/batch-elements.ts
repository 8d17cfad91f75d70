import { MAX_BATCH_LINES } from '../../attestation-node/certify-batch.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const HEAD = /^[ \t\n\r]*\{[ \t\n\r]*"executions"[ \t\n\r]*:[ \t\n\r]*\[/;
const TAIL = /\][ \t\n\r]*\}[ \t\n\r]*$/;
/** Bytes at each end of a body in which its head and its tail are looked for. */
const END_BYTES = 256;

/**
 * The elements of a body `{"executions":[...]}` as they are written, so that each can be parsed alone: parsed whole, a body
 * takes four times its bytes. The body is JSON if each element is.
 * @returns null for any other body, and for one with more elements than a batch may have
 */
export function batchElements(body: Buffer): readonly Buffer[] | null {
  const head = HEAD.exec(body.toString('latin1', 0, END_BYTES))?.[0].length;
  const tail = TAIL.exec(body.subarray(-END_BYTES).toString('latin1'))?.[0].length;
  return head === undefined || tail === undefined ? null : partsOf(body.subarray(head, body.length - tail));
}

/** The parts between the commas that are in no container and in no string; null where a container ends that none began. */
function partsOf(list: Buffer): readonly Buffer[] | null {
  const parts: Buffer[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < list.length; at += 1) {
    const byte = list[at];
    if (byte === QUOTE) at = endOfString(list, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth < 0) return null;
    } else if (byte === COMMA && depth === 0) {
      parts.push(list.subarray(start, at));
      start = at + 1;
      if (parts.length === MAX_BATCH_LINES) return null;
    }
  }
  return [...parts, list.subarray(start)];
}

/** The place of the quote that ends the string begun at `start`; the end of the text where none does. */
function endOfString(text: Buffer, start: number): number {
  for (let end = text.indexOf(QUOTE, start + 1); end >= 0; end = text.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (text[before] === BACKSLASH) before -= 1;
    // An even number of backslashes stand for themselves.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
