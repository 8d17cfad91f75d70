import { ServiceError } from '../errors/service-error.js';

const LIMIT_BYTES = 256 * 1024 * 1024;
/** Smaller bodies always find room, so that large ones of one client hold up nobody's everyday work. */
const SMALL_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = '5';

/** The body of one request, from its first byte to the answer. */
interface Incoming {
  /**
   * Notes bytes that have come.
   * @throws ServiceError SERVICE_UNAVAILABLE when the body has become a large one, and too many are in hand
   */
  readonly arrived: (bytes: number) => void;
  /** Gives the room back. */
  readonly leave: () => void;
}

/** The large bodies that a service has in hand. What is made of one takes several times its size. */
export class Inbox {
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes = LIMIT_BYTES) {
    this.#limitBytes = limitBytes;
  }

  open(): Incoming {
    let size = 0;
    let counted = 0;
    return {
      arrived: (bytes) => {
        size += bytes;
        if (size <= SMALL_BYTES) return;
        // One alone may have any size.
        const others = this.#bytes - counted;
        if (others > 0 && others + size > this.#limitBytes) {
          throw new ServiceError({
            code: 'SERVICE_UNAVAILABLE',
            message: 'too many large bodies are in hand: retry',
            headers: { 'retry-after': RETRY_AFTER_SECONDS },
          });
        }
        this.#bytes = others + size;
        counted = size;
      },
      leave: () => {
        this.#bytes -= counted;
        counted = 0;
      },
    };
  }
}
