import { ByteParts } from '@cer/ndjson';
import { idOf, isId, type Json } from '../json.js';
import type { Outcome } from '../outcome.js';
import type { BodyHash } from './body-hash.js';
import type { Fold, SseEvent } from './fold.js';
import { objectIn } from './fold.js';
import type { ModelCall } from './model-call.js';
import { SseReader, type Framing } from './sse.js';

/** The state of a call when it ended. */
export interface Ended {
  readonly outcome: Outcome;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** The provider's code of a failure. */
  readonly errorCode: string | null;
  /** The answer: JSON, the fold of a stream, or text. Null when it was larger than the limit. */
  readonly output: Json;
  /** Bytes handed to the caller, and their SHA-256 in hex. */
  readonly bytes: number;
  readonly sha256: string;
  readonly streamed: boolean;
  /** The provider's ids of the request, the first of which the certificate names: gateways add their own. */
  readonly requestIds: readonly string[];
}

/** Headers that SDKs state the id of a request from. */
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id'];

export interface ExchangeSettings {
  /** Maximum bytes of an answer kept for its fold; a larger one is bound by the hash of its bytes. */
  readonly maxContentBytes: number;
  readonly hash: BodyHash;
  /** Called once, synchronously, before the caller gets the last byte. It does not throw. */
  readonly ended: (ended: Ended) => void;
}

/** Follows one answer, chunk by chunk, as the caller gets it. */
export class Exchange {
  readonly #call: ModelCall;
  readonly #settings: ExchangeSettings;
  readonly #response: Response | null;
  readonly #fold: Fold | null;
  readonly #sse: SseReader | null;
  readonly #expectedBytes: number | null;
  #kept: ByteParts | null = new ByteParts();
  #bytes = 0;
  #isOver = false;

  constructor(call: ModelCall, response: Response | null, settings: ExchangeSettings) {
    this.#call = call;
    this.#settings = settings;
    this.#response = response;
    const framing = framingOf(response?.headers.get('content-type') ?? '');
    this.#fold = framing === null ? null : call.fold();
    this.#sse = framing === null ? null : new SseReader(settings.maxContentBytes, framing);
    const length = response?.headers.has('content-encoding') === true ? null : response?.headers.get('content-length');
    this.#expectedBytes = length == null || !/^\d+$/.test(length) ? null : Number(length);
  }

  /** Bytes that the caller is about to get. */
  handOn(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#settings.maxContentBytes) this.#kept = null;
    if (this.#fold === null || this.#sse === null) {
      this.#keep(chunk);
      if (this.#bytes === this.#expectedBytes) this.#finish(this.#outcomeOfWhole());
      return;
    }
    this.#settings.hash.add(chunk);
    const fold = this.#fold;
    this.#sse.push(chunk, (event) => {
      this.#push(fold, event);
    });
    if (this.#kept === null) fold.forget();
    this.#finishWith(fold);
  }

  /** An answer with an event of more levels than can be folded is bound by its bytes. */
  #push(fold: Fold, event: SseEvent): void {
    try {
      fold.push(event);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#kept = null;
    }
  }

  /** Ends with the last event of a stream. */
  #finishWith({ end }: Fold): void {
    if (end !== 'open') this.#finish(end === 'failed' ? 'failed' : this.#outcomeOfWhole());
  }

  #keep(chunk: Uint8Array): void {
    if (this.#kept === null) {
      this.#settings.hash.add(chunk);
      return;
    }
    // The chunk is transferred to the caller: a view of it would be empty afterwards.
    const kept = chunk.slice();
    this.#settings.hash.addKept(kept);
    this.#kept.add(kept);
  }

  /** The answer ended without an error. */
  end(): void {
    const fold = this.#fold;
    if (fold !== null) {
      this.#sse?.end((event) => {
        this.#push(fold, event);
      });
      this.#finishWith(fold);
    }
    this.#finish(fold === null || fold.isWhole ? this.#outcomeOfWhole() : 'truncated');
  }

  /** The caller stopped reading. */
  cancel(): void {
    this.#finish(this.#isRefusal() ? 'failed' : 'aborted');
  }

  /** No answer, or it broke off. */
  break(error: unknown): void {
    if (this.#isAborted(error)) this.#finish('aborted');
    else this.#finish(this.#response === null || this.#isRefusal() ? 'failed' : 'truncated');
  }

  #isAborted(error: unknown): boolean {
    const name: unknown = isRecord(error) ? error['name'] : null;
    return this.#call.signal?.aborted === true || name === 'AbortError';
  }

  #isRefusal(): boolean {
    return this.#response !== null && !this.#response.ok;
  }

  #outcomeOfWhole(): Outcome {
    return this.#isRefusal() ? 'failed' : 'complete';
  }

  #finish(end: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { hash, ended } = this.#settings;
    const output = this.#output();
    const outcome = end === 'complete' && this.#fold === null && reportsError(output) ? 'failed' : end;
    ended({
      outcome,
      status: this.#response?.status ?? null,
      errorCode: outcome === 'failed' ? errorCodeOf(output) : null,
      output,
      bytes: this.#bytes,
      sha256: hash.hex(),
      streamed: this.#fold !== null,
      requestIds: REQUEST_ID_HEADERS.flatMap((name) => this.#response?.headers.get(name) ?? []).filter(isId),
    });
    this.#kept = null;
  }

  #output(): Json {
    if (this.#kept === null) return null;
    if (this.#fold !== null) return this.#fold.answer();
    const text = decoded(this.#kept);
    return objectIn(text) ?? text;
  }
}

/** How the events of a stream are written; null for an answer that is no stream. */
function framingOf(contentType: string): Framing | null {
  const type = contentType.toLowerCase();
  if (type.startsWith('text/event-stream')) return 'sse';
  return type.startsWith('application/x-ndjson') ? 'lines' : null;
}

/** Whole texts take a faster path in Node.js than chunks, each of which needs a decoder that keeps a state. */
const utf8 = new TextDecoder();

function decoded(bytes: ByteParts): string {
  const parts = bytes.parts();
  return utf8.decode(parts.length === 1 ? parts[0] : bytes.joined());
}

/** Whether an unstreamed answer reports an error, as a stream does in its events, whatever its status. */
function reportsError(output: Json): boolean {
  if (!isRecord(output)) return false;
  const { error, finish_reason: reason } = output;
  return isRecord(error) || (typeof error === 'string' && error !== '') || reason === 'ERROR';
}

/** Codes that are numbers repeat the HTTP status. */
function errorCodeOf(output: Json): string | null {
  const error = isRecord(output) ? output['error'] : undefined;
  return idOf(error, 'code') ?? idOf(error, 'type') ?? idOf(error, 'status');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
