/** Runs `end` once, however the stream ends, even when it is never read: a generator would not notice. */
export function endingWith<T>(stream: AsyncGenerator<T>, end: () => Promise<void>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        try {
          const result = await stream.next();
          if (result.done === true) await end();
          return result;
        } catch (error) {
          await end();
          throw error;
        }
      },
      return: async () => {
        try {
          await stream.return(undefined);
        } finally {
          await end();
        }
        return { done: true, value: undefined };
      },
    }),
  };
}
