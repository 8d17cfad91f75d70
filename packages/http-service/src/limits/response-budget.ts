import { ServiceError } from '../errors/service-error.js';

const LIMIT_BYTES = 256 * 1024 * 1024;
/** So fast somebody reads who reads at all, in bytes a millisecond. */
const SLOW = 64;
const GRACE_MS = 2000;
const RETRY_AFTER_SECONDS = '1';

/** A large answer on its way, with its place in memory. */
export interface Outgoing {
  /** Notes that the client has taken so many bytes more. */
  readonly passed: (bytes: number) => void;
  /** Gives the place back; a second call does nothing. */
  readonly release: () => void;
}

interface Answer {
  readonly bytes: number;
  readonly since: number;
  readonly cut: () => void;
  passed: number;
}

/**
 * The large answers of a service that their clients have not read yet. Each is whole in memory, and to ask for one costs
 * nothing: without a bound, clients that read slowly would fill it.
 */
export class Outbox {
  readonly #limitBytes: number;
  readonly #nowMs: () => number;
  readonly #answers = new Set<Answer>();
  #bytes = 0;

  constructor(limitBytes = LIMIT_BYTES, nowMs: () => number = () => performance.now()) {
    this.#limitBytes = limitBytes;
    this.#nowMs = nowMs;
  }

  /**
   * Takes a place for an answer. Where there is none, those that are read too slowly are cut off, the oldest first.
   * @param cut ends the connection of this answer
   * @throws ServiceError SERVICE_UNAVAILABLE when every place is taken by clients that do read
   */
  take(bytes: number, cut: () => void): Outgoing {
    for (const answer of this.#answers) {
      if (this.#hasRoom(bytes)) break;
      if (!this.#isSlow(answer)) continue;
      this.#release(answer);
      answer.cut();
    }
    if (!this.#hasRoom(bytes)) {
      throw new ServiceError({
        code: 'SERVICE_UNAVAILABLE',
        message: 'too many large answers are on their way: retry',
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    }
    const answer: Answer = { bytes, since: this.#nowMs(), cut, passed: 0 };
    this.#answers.add(answer);
    this.#bytes += bytes;
    return {
      passed: (more) => {
        answer.passed += more;
      },
      release: () => {
        this.#release(answer);
      },
    };
  }

  /** One alone may have any size. */
  #hasRoom(bytes: number): boolean {
    return this.#answers.size === 0 || this.#bytes + bytes <= this.#limitBytes;
  }

  #isSlow({ since, passed }: Answer): boolean {
    const readingMs = this.#nowMs() - since - GRACE_MS;
    return readingMs > 0 && passed < readingMs * SLOW;
  }

  #release(answer: Answer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes;
  }
}
