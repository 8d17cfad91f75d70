/** Sends an order to a worker and gets its answer. The transferred memory is the worker's until it sends it back. */
export type AskWorker<Order, Answer> = (order: Order, transfer: Transferable[]) => Promise<Answer>;

interface Waiting<Answer> {
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Starts a worker that reports that it runs, and then answers each order by one message, in order. Must be called before
 * the sketch runs: afterwards the page cannot start a worker.
 */
export async function startWorker<Order, Answer>(script: string): Promise<AskWorker<Order, Answer>> {
  // The page's origin is opaque: a worker from such an address may use `crypto.subtle`, one from a blob may not.
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(script)}`);
  await new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  });
  const waiting: Waiting<Answer>[] = [];
  let error: Error | undefined;
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    waiting.shift()?.settle(data);
  };
  worker.onerror = ({ message }) => {
    error = new Error(`the reading of frames has ended: ${message}`);
    for (const { fail } of waiting.splice(0)) fail(error);
  };
  return (order, transfer) => {
    const answer = new Promise<Answer>((settle, fail) => {
      if (error === undefined) waiting.push({ settle, fail });
      else fail(error);
    });
    worker.postMessage(order, transfer);
    return answer;
  };
}
