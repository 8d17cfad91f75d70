const STREAMS_AT_ONCE = 500;
/** The live pages that one user may have open, in all their browsers. */
const STREAMS_OF_A_USER = 20;

/** Open streams to live pages. Each polls once per second, so they are bounded. */
export interface OpenStreams {
  readonly hasRoomFor: (userId: string) => boolean;
  /** Counts a stream from its first event to its end. */
  readonly counted: (userId: string, events: AsyncIterable<string>) => AsyncGenerator<string>;
}

export function openStreams(): OpenStreams {
  const byUser = new Map<string, number>();
  let all = 0;
  const of = (userId: string): number => byUser.get(userId) ?? 0;

  return {
    hasRoomFor: (userId) => all < STREAMS_AT_ONCE && of(userId) < STREAMS_OF_A_USER,
    counted: async function* (userId, events) {
      all += 1;
      byUser.set(userId, of(userId) + 1);
      try {
        yield* events;
      } finally {
        all -= 1;
        if (of(userId) === 1) byUser.delete(userId);
        else byUser.set(userId, of(userId) - 1);
      }
    },
  };
}
