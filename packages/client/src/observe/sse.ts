/** One event of a stream. */
export interface SseEvent {
  /** The field `event`, or empty. */
  readonly name: string;
  readonly data: string;
}

/** Reads server-sent events from bytes as they arrive, wherever chunks are cut. */
export class SseReader {
  readonly #decoder = new TextDecoder();
  readonly #maxEventLength: number;
  #rest = '';
  #name = '';
  #data: string[] = [];
  #length = 0;

  /** @param maxEventLength events with more characters of data are left out */
  constructor(maxEventLength: number) {
    this.#maxEventLength = maxEventLength;
  }

  /** The events that end within this chunk. */
  push(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    let start = 0;
    for (;;) {
      const end = indexOfLineEnd(text, start);
      // A carriage return at the end may be half of a line end.
      if (end < 0 || (text[end] === '\r' && end === text.length - 1)) break;
      this.#line(text.slice(start, end), events);
      start = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1);
    }
    this.#rest = text.slice(start);
    // A line that never ends must not fill the memory.
    if (this.#rest.length > this.#maxEventLength + 64) this.#rest = '';
    return events;
  }

  #line(line: string, events: SseEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0 && this.#length <= this.#maxEventLength) {
        events.push({ name: this.#name, data: this.#data.join('\n') });
      }
      this.#name = '';
      this.#data = [];
      this.#length = 0;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#name = value;
    if (field !== 'data') return;
    this.#length += value.length + 1;
    if (this.#length <= this.#maxEventLength) this.#data.push(value);
  }
}

function indexOfLineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  const carriage = text.indexOf('\r', from);
  if (feed < 0) return carriage;
  return carriage < 0 ? feed : Math.min(feed, carriage);
}
