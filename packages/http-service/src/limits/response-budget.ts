import { ServiceError } from '../errors/service-error.js';
import { ByteBudget, type Reservation } from './byte-budget.js';

const TOTAL_BYTES = 256 * 1024 * 1024;
/** Minimum read rate of a live client, in bytes per millisecond. */
const MIN_READ_RATE = 64;
const GRACE_MS = 2000;
const RETRY_AFTER_SECONDS = '1';

/** A large answer that is being sent. */
export interface OutgoingAnswer {
  /** Counts bytes that the client has taken. */
  readonly passed: (bytes: number) => void;
  /** Releases the bytes of the answer; idempotent. */
  readonly release: () => void;
}

interface Answer {
  readonly reservation: Reservation;
  readonly since: number;
  readonly cut: () => void;
  passed: number;
}

/**
 * Bounds the large answers that clients have not read yet. Each is whole in memory and costs its client nothing to
 * request: without a bound, slow readers would exhaust the memory.
 */
export class ResponseBudget {
  readonly #budget: ByteBudget;
  readonly #nowMs: () => number;
  readonly #answers = new Set<Answer>();

  constructor(totalBytes = TOTAL_BYTES, nowMs: () => number = () => performance.now()) {
    this.#budget = new ByteBudget({ totalBytes, refuse: tooManyAnswers });
    this.#nowMs = nowMs;
  }

  /**
   * Reserves the bytes of an answer. When they do not fit, answers that are read too slowly are aborted, the oldest
   * first.
   * @param cut closes the connection of this answer
   * @throws ServiceError SERVICE_UNAVAILABLE when live readers use the whole budget
   */
  take(bytes: number, cut: () => void): OutgoingAnswer {
    const reservation = this.#budget.reserve();
    for (const other of this.#answers) {
      if (reservation.exceededBy(bytes) === null) break;
      if (!this.#isSlow(other)) continue;
      this.#release(other);
      other.cut();
    }
    reservation.take(bytes);
    const answer: Answer = { reservation, since: this.#nowMs(), cut, passed: 0 };
    this.#answers.add(answer);
    return {
      passed: (more) => {
        answer.passed += more;
      },
      release: () => {
        this.#release(answer);
      },
    };
  }

  #isSlow({ since, passed }: Answer): boolean {
    const readingMs = this.#nowMs() - since - GRACE_MS;
    return readingMs > 0 && passed < readingMs * MIN_READ_RATE;
  }

  #release(answer: Answer): void {
    this.#answers.delete(answer);
    answer.reservation.release();
  }
}

function tooManyAnswers(): ServiceError {
  return new ServiceError({
    code: 'SERVICE_UNAVAILABLE',
    message: 'too many large answers are on their way: retry',
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}
