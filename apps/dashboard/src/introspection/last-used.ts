import type { Logger } from '@cer/http-service/process';
import type { ApiKeyStore } from '../store/index.js';

/** More keys than this in use at once are written early, so that memory stays bounded. */
const MAX_WAITING_KEYS = 10_000;

/** Collects when keys were used and writes it at intervals, so that a look-up costs no write. */
export class LastUsed {
  readonly #apiKeys: ApiKeyStore;
  readonly #logger: Logger;
  #waiting = new Map<string, Date>();
  #timer: NodeJS.Timeout | undefined;

  constructor(apiKeys: ApiKeyStore, logger: Logger) {
    this.#apiKeys = apiKeys;
    this.#logger = logger;
  }

  /** Writes every `intervalMs` until `stop`. */
  start(intervalMs: number): void {
    this.#timer = setInterval(() => void this.flush(), intervalMs);
    this.#timer.unref();
  }

  note(keyId: string, usedAt: Date): void {
    this.#waiting.set(keyId, usedAt);
    if (this.#waiting.size >= MAX_WAITING_KEYS) void this.flush();
  }

  /** Writes the collected times. Unwritten ones are dropped: they are for display only, and later ones replace them. */
  async flush(): Promise<void> {
    const uses = this.#waiting;
    this.#waiting = new Map();
    try {
      await this.#apiKeys.markUsed(uses);
    } catch (error) {
      this.#logger.warn({ err: error, keys: uses.size }, 'last use of keys not written');
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
