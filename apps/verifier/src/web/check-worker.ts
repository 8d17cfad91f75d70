import { performTask } from '../check/perform-task.js';
import type { LoadTimestampCode } from '../check/timestamp-code.js';
import type { WorkerAnswer, WorkerQuestion } from '../check/worker-messages.js';

/** Lets the worker take other messages between batches of steps. */
const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });

/** Answers questions until the page closes; a failure is reported, and the page then shows no verdict. */
export function answerQuestions(loadTimestampCode: LoadTimestampCode): void {
  const answer = (message: WorkerAnswer): void => {
    self.postMessage(message);
  };
  self.addEventListener('message', ({ data }: MessageEvent<WorkerQuestion>) => {
    const { id } = data;
    performTask(data, loadTimestampCode, (done, total) => {
      answer({ id, state: 'progress', done, total });
      return breathe();
    }).then(
      (result) => {
        answer({ id, state: 'done', result });
      },
      () => {
        answer({ id, state: 'failed' });
      },
    );
  });
  answer({ state: 'ready' });
}
