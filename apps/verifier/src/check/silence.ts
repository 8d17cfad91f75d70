/** Time for which a visitor's browser waits for the next bytes of an answer, in seconds. */
export const SILENCE_LIMIT_S = 30;

/** @throws Error when there is no answer within the limit, in ms */
export function withoutSilence<T>(answer: Promise<T>, limitMs = SILENCE_LIMIT_S * 1000): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('no answer in time'));
    }, limitMs);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
