/**
 * The script of a worker that answers each message by one, in order, and first reports that it runs.
 * @param answer its answer takes the buffer along: the memory of an order is transferred back
 */
export function answerInOrder(answer: (order: MessageEvent) => Promise<{ readonly buffer: ArrayBuffer }>): void {
  let line: Promise<unknown> = Promise.resolve();
  addEventListener('message', (order) => {
    line = line.then(async () => {
      const given = await answer(order);
      postMessage(given, { transfer: [given.buffer] });
    });
    // The page receives the error of its worker and ends the loop.
    line.catch(reportError);
  });
  postMessage(null);
}
