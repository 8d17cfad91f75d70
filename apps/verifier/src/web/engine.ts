import type { OnProgress } from '../check/check-artefact.js';
import { SILENCE_LIMIT_S } from '../check/silence.js';
import type { TaskName, TaskRequest, TaskResult, WorkerAnswer } from '../check/worker-messages.js';

/** The page's side of its worker. */
export interface Engine {
  /** @throws EngineFailure when the worker cannot start or fails; there is then no verdict */
  readonly ask: <Name extends TaskName>(
    task: Name,
    request: TaskRequest<Name>,
    onProgress?: OnProgress,
  ) => Promise<TaskResult<Name>>;
}

export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (failure: EngineFailure) => void;
  readonly onProgress: OnProgress | undefined;
}

/** Starts the worker at the first question. */
export function createEngine(start: () => Worker): Engine {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  let starting: ReturnType<typeof setTimeout> | undefined;
  const failAll = (): void => {
    clearTimeout(starting);
    worker?.terminate();
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new EngineFailure());
    waiting.clear();
  };
  const open = (): Worker => {
    const opened = start();
    // A site that never sends the worker's script is no error to the browser.
    starting = setTimeout(failAll, SILENCE_LIMIT_S * 1000);
    opened.addEventListener('error', failAll);
    opened.addEventListener('messageerror', failAll);
    opened.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      if (data.state === 'ready') {
        clearTimeout(starting);
        return;
      }
      const asked = waiting.get(data.id);
      if (data.state === 'progress') {
        void asked?.onProgress?.(data.done, data.total);
        return;
      }
      waiting.delete(data.id);
      if (data.state === 'done') asked?.resolve(data.result);
      else asked?.reject(new EngineFailure());
    });
    return opened;
  };
  return {
    ask: <Name extends TaskName>(task: Name, request: TaskRequest<Name>, onProgress?: OnProgress) =>
      new Promise<TaskResult<Name>>((resolve, reject) => {
        lastId += 1;
        // The worker answers a task with that task's result: both sides are built from one table.
        waiting.set(lastId, { resolve: resolve as (result: unknown) => void, reject, onProgress });
        try {
          worker ??= open();
          worker.postMessage({ id: lastId, task, request });
        } catch {
          waiting.delete(lastId);
          reject(new EngineFailure());
        }
      }),
  };
}
