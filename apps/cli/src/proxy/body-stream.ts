import type { Readable } from 'node:stream';

/**
 * What arrives, as a web stream that is read only when its reader asks. Cancelling it ends the connection.
 * @param before parts that were read already
 * @param fault an error that `from` does not state: a body without a length ends in the same way when it is cut off
 */
export function bodyStream(
  from: Readable,
  {
    before = [],
    fault = () => undefined,
  }: { readonly before?: readonly Uint8Array[]; readonly fault?: () => unknown } = {},
): ReadableStream<Uint8Array> {
  const chunks = chunksOf(from, before);
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        const error = next.done === true ? fault() : undefined;
        if (error !== undefined) controller.error(error);
        else if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => {
        from.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(from: Readable, before: readonly Uint8Array[]): AsyncGenerator<Uint8Array, undefined> {
  yield* before;
  for await (const chunk of from as AsyncIterable<unknown>) if (chunk instanceof Uint8Array) yield chunk;
}
