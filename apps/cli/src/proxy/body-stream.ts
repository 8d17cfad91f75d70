import type { Readable } from 'node:stream';

/** What arrives, as a web stream that is read only when its reader asks. Cancelling it ends the connection. */
export function bodyStream(from: Readable): ReadableStream<Uint8Array> {
  const chunks = chunksOf(from);
  return new ReadableStream(
    {
      pull: async (controller) => {
        const next = await chunks.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => {
        from.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* chunksOf(from: Readable): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of from as AsyncIterable<unknown>) if (chunk instanceof Uint8Array) yield chunk;
}
