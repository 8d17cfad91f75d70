import { pullPart, type Follower } from '../observe/pull-through.js';

/** A stream of the same parts that reads only when the caller reads. */
export function pullParts(stream: ReadableStream, follower: Follower<unknown>): ReadableStream {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      pull: async (controller) => {
        await pullPart(reader, follower, controller);
      },
      cancel: async (reason) => {
        follower.cancel();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
