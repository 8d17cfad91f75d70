import { objectIn, type SseEvent } from './fold.js';
import { Utf8Chunks } from './utf8-chunks.js';

/** Maximum characters of an error that stands between events. */
const MAX_STRAY = 64 * 1024;

/** Pieces of a line that are joined to one. */
const MAX_PIECES = 256;

/** How events are written: server-sent events, or one per line, as in NDJSON. */
export type Framing = 'sse' | 'lines';

/** Reads events from bytes as they arrive, wherever chunks are cut. */
export class SseReader {
  readonly #text = new Utf8Chunks();
  readonly #maxEventLength: number;
  readonly #framing: Framing;
  /** A line whose end has not arrived, in pieces: joining all in each chunk would take longer with every chunk. */
  #rest: string[] = [];
  /** Its last pieces, which are joined to one: each is an object, however short. */
  #pieces: string[] = [];
  #restLength = 0;
  /** Whether the last line ended with a carriage return, to which a line feed at the start of the next chunk belongs. */
  #isCarriageLast = false;
  #name = '';
  #data: string | null = null;
  #length = 0;
  /** Lines that are no fields, from one that begins an object: Gemini states an error so, in the middle of a stream. */
  #stray = '';

  /** @param maxEventLength events with more characters of data are left out */
  constructor(maxEventLength: number, framing: Framing = 'sse') {
    this.#maxEventLength = maxEventLength;
    this.#framing = framing;
  }

  /** @param take gets each event that ends within this chunk: one by one, because most are garbage at once */
  push(bytes: Uint8Array, take: (event: SseEvent) => void): void {
    const text = this.#text.decode(bytes);
    if (text === '') return;
    // Not waited for: the carriage return may be the last byte of the stream, or of what its reader takes.
    let start = this.#isCarriageLast && text.startsWith('\n') ? 1 : 0;
    let feed = text.indexOf('\n', start);
    let carriage = text.indexOf('\r');
    while (feed >= 0 || carriage >= 0) {
      const isCarriage = carriage >= 0 && (feed < 0 || carriage < feed);
      const end = isCarriage ? carriage : feed;
      if (this.#restLength === 0) this.#line(text, start, end, take);
      else this.#endOfLine(text.slice(start, end), take);
      start = end + (isCarriage && text[end + 1] === '\n' ? 2 : 1);
      // Each is searched for again only after it was passed: most streams have no carriage return at all.
      if (feed >= 0 && feed < start) feed = text.indexOf('\n', start);
      if (carriage >= 0 && carriage < start) carriage = text.indexOf('\r', start);
    }
    this.#isCarriageLast = text.endsWith('\r');
    if (start < text.length) this.#keep(text, start);
    // Without waiting for the end of its last line: the SDK throws once it has read the object.
    if (this.#stray !== '' || this.#isObjectBegun()) this.#takeError(take);
  }

  #keep(text: string, start: number): void {
    this.#pieces.push(text.slice(start));
    if (this.#pieces.length === MAX_PIECES) this.#joinPieces();
    this.#restLength += text.length - start;
    // A line that never ends must not fill the memory.
    if (this.#restLength > this.#maxEventLength + 64) this.#forget();
  }

  #isObjectBegun(): boolean {
    return this.#framing === 'sse' && (this.#rest[0] ?? this.#pieces[0])?.startsWith('{') === true;
  }

  /** Gives an error that stands between events as an event of its own, once it is whole. */
  #takeError(take: (event: SseEvent) => void): void {
    if (this.#stray.length + this.#restLength > MAX_STRAY) return;
    const data = this.#stray + this.#rest.join('') + this.#pieces.join('');
    const found = data.trimEnd().endsWith('}') ? objectIn(data) : null;
    if (found === null) return;
    this.#stray = '';
    this.#forget();
    if ('error' in found) take({ name: '', data });
  }

  /** The stream ended: a last line needs no line feed, an event of `sse` its empty line. */
  end(take: (event: SseEvent) => void): void {
    if (this.#framing !== 'lines') return;
    const cutOff = this.#text.end();
    if (this.#restLength > 0 || cutOff !== '') this.#endOfLine(cutOff, take);
  }

  #endOfLine(piece: string, take: (event: SseEvent) => void): void {
    this.#pieces.push(piece);
    this.#joinPieces();
    const line = this.#rest.join('');
    this.#forget();
    this.#line(line, 0, line.length, take);
  }

  #joinPieces(): void {
    this.#rest.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  #forget(): void {
    this.#rest = [];
    this.#pieces = [];
    this.#restLength = 0;
  }

  /** The line of `text` from `start` to before `end`. */
  #line(text: string, start: number, end: number, take: (event: SseEvent) => void): void {
    if (this.#framing === 'lines') {
      if (end - start <= this.#maxEventLength) take({ name: '', data: text.slice(start, end) });
    } else if (start === end) {
      if (this.#data !== null && this.#length <= this.#maxEventLength) take({ name: this.#name, data: this.#data });
      this.#name = '';
      this.#data = null;
      this.#length = 0;
    } else if (isField(text, start, end, 'data')) {
      const value = valueOf(text, start + 4, end);
      this.#length += value.length + 1;
      if (this.#length <= this.#maxEventLength) this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    } else if (isField(text, start, end, 'event')) this.#name = valueOf(text, start + 5, end);
    else if ((this.#stray !== '' || text[start] === '{') && this.#stray.length <= MAX_STRAY) {
      const isFirst = this.#stray === '';
      this.#stray += `${text.slice(start, end)}\n`;
      // An object ends in its first line or with a brace at the start of one, wherever chunks are cut.
      if (isFirst || text[start] === '}') this.#takeError(take);
    }
  }
}

/** A field ends at its colon, or with its line. */
function isField(text: string, start: number, end: number, name: string): boolean {
  const after = start + name.length;
  return text.startsWith(name, start) && (after === end || text[after] === ':');
}

/** The value of a field: one space after the colon is not part of it. */
function valueOf(text: string, colon: number, end: number): string {
  return text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1, end);
}
