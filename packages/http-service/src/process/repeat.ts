import { setTimeout as sleep } from 'node:timers/promises';

export interface RepeatOptions {
  /** Pause between two runs, in ms. */
  readonly everyMs: number;
  /** One run; it should end soon after the signal aborts. */
  readonly task: (signal: AbortSignal) => Promise<void>;
  /** Called with the error of a run that threw; the next run follows after the same pause. */
  readonly onFailure: (error: unknown) => void;
}

export interface Repeating {
  /** Starts the next run at once, or directly after the current one. */
  wake(): void;
  /** Resolves when the current run has ended; none follows. */
  stop(): Promise<void>;
}

/** Runs a task at once and then at intervals, never two runs at a time. It does not keep the process alive. */
export function repeat({ everyMs, task, onFailure }: RepeatOptions): Repeating {
  const stopping = new AbortController();
  let pause = new AbortController();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Created before the run, so that a wake during the run shortens the following pause.
      pause = new AbortController();
      await task(stopping.signal).catch(onFailure);
      const signal = AbortSignal.any([stopping.signal, pause.signal]);
      // Rejects only when interrupted.
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    wake: () => {
      pause.abort();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
