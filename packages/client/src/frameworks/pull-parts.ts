/** An observer of the parts of a stream while the caller reads them. Its methods do not throw. */
export interface PartFollower {
  handOn(part: unknown): void;
  end(): void;
  cancel(): void;
  break(error: unknown): void;
}

/** A stream of the same parts that reads only when the caller reads. */
export function pullParts(stream: ReadableStream, follower: PartFollower): ReadableStream {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      pull: async (controller) => {
        let result;
        try {
          result = await reader.read();
        } catch (error) {
          follower.break(error);
          controller.error(error);
          return;
        }
        if (result.done) {
          follower.end();
          controller.close();
          return;
        }
        follower.handOn(result.value);
        controller.enqueue(result.value);
      },
      cancel: async (reason) => {
        follower.cancel();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
