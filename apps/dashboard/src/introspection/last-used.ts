import { outageLog, type Logger, type OutageLog } from '@cer/http-service/process';
import type { ApiKeyStore } from '../store/index.js';

/** More keys than this in use at once are written early, so that memory stays bounded. */
const MAX_WAITING_KEYS = 10_000;

/** Collects when keys were used and writes it at intervals, so that a look-up costs no write. */
export class LastUsed {
  readonly #apiKeys: ApiKeyStore;
  readonly #outage: OutageLog;
  #waiting = new Map<string, Date>();
  #timer: NodeJS.Timeout | undefined;

  constructor(apiKeys: ApiKeyStore, logger: Logger) {
    this.#apiKeys = apiKeys;
    this.#outage = outageLog(logger, {
      level: 'warn',
      failed: 'last use of keys not written',
      succeeded: 'last use of keys is written again',
    });
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
    if (uses.size === 0) return;
    this.#waiting = new Map();
    try {
      await this.#apiKeys.markUsed(uses);
      this.#outage.succeeded();
    } catch (error) {
      this.#outage.failed(error);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
