import { ServiceError } from '../errors/service-error.js';
import { ByteBudget, type ExceededBound, type Reservation } from './byte-budget.js';

const TOTAL_BYTES = 256 * 1024 * 1024;
/** Bodies up to this size always have room, so that large ones of one client do not block ordinary requests. */
const SMALL_BYTES = 1024 * 1024;
/** The part of the room that one holder may have. */
const SHARE = 1 / 4;
const RETRY_AFTER_SECONDS = '5';

/** The body of one request, from its first byte to the answer. */
interface IncomingBody {
  /**
   * Counts bytes that have arrived.
   * @throws ServiceError SERVICE_UNAVAILABLE when the body has become large and exceeds the budget
   */
  readonly arrived: (bytes: number) => void;
  readonly release: () => void;
}

/** Bounds the large bodies that a service keeps in memory. Handling a body takes several times its size. */
export class BodyBudget {
  readonly #budget: ByteBudget;

  constructor(totalBytes = TOTAL_BYTES) {
    this.#budget = new ByteBudget({ totalBytes, share: SHARE, refuse: tooManyBodies });
  }

  /** @param holder whose share a large body counts against; only the total bounds null */
  open(holder: string | null = null): IncomingBody {
    let size = 0;
    let large: Reservation | null = null;
    return {
      arrived: (bytes) => {
        size += bytes;
        if (size <= SMALL_BYTES) return;
        if (large !== null) large.take(bytes);
        else {
          const reservation = this.#budget.reserve(holder);
          reservation.take(size);
          large = reservation;
        }
      },
      release: () => large?.release(),
    };
  }
}

function tooManyBodies(exceeded: ExceededBound): ServiceError {
  const [code, message] =
    exceeded === 'share'
      ? (['RATE_LIMITED', 'too many large bodies of this caller are in memory: retry'] as const)
      : (['SERVICE_UNAVAILABLE', 'too many large bodies are in memory: retry'] as const);
  return new ServiceError({ code, message, headers: { 'retry-after': RETRY_AFTER_SECONDS } });
}
