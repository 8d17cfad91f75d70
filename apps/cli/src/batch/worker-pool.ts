import { Worker } from 'node:worker_threads';
import type { BatchSettings, Chunk } from './batch-settings.js';
import { unforeseenResult, type ItemResult } from './verify-item.js';

/** One thread, busy with at most one chunk. */
class Lane {
  readonly #worker: Worker;
  #settle: ((results: ItemResult[] | null) => void) | null = null;

  constructor(settings: BatchSettings, onEnd: () => void) {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: settings });
    this.#worker.on('message', (results: ItemResult[]) => {
      this.#settle?.(results);
    });
    const end = (): void => {
      onEnd();
      this.#settle?.(null);
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', end);
  }

  /** @returns null when the thread died */
  verify(chunk: Chunk): Promise<ItemResult[] | null> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#worker.postMessage(chunk);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Threads that verify chunks. A thread that dies fails its own chunk only and is replaced. */
export class WorkerPool {
  readonly #settings: BatchSettings;
  readonly #size: number;
  readonly #lanes = new Set<Lane>();
  readonly #idle: Lane[] = [];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  constructor(settings: BatchSettings, size: number) {
    this.#settings = settings;
    this.#size = size;
  }

  async verify(chunk: Chunk): Promise<ItemResult[]> {
    const lane = await this.#takeLane();
    const results = await lane.verify(chunk);
    this.#giveBack(results === null ? this.#openLane() : lane);
    return results ?? chunk.items.map(({ name }) => unforeseenResult(name, this.#settings));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes].map((lane) => lane.end()));
  }

  async #takeLane(): Promise<Lane> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#lanes.size < this.#size) return this.#openLane();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #openLane(): Lane {
    const lane: Lane = new Lane(this.#settings, () => this.#lanes.delete(lane));
    this.#lanes.add(lane);
    return lane;
  }

  #giveBack(lane: Lane): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(lane);
    else next(lane);
  }
}
