const STREAMS_AT_ONCE = 500;
/** The live pages that all users of one account may have open. */
const STREAMS_OF_AN_ACCOUNT = 250;
/** The live pages that one user may have open, in all their browsers. */
const STREAMS_OF_A_USER = 20;

/** The reader of a live page. */
export interface Viewer {
  readonly tenantId: string;
  readonly userId: string;
}

/** Open streams to live pages. Each polls once per second, so they are bounded. */
export interface OpenStreams {
  readonly hasRoomFor: (viewer: Viewer) => boolean;
  /** Counts a stream from its first event to its end. */
  readonly counted: (viewer: Viewer, events: AsyncIterable<string>) => AsyncGenerator<string>;
}

export function openStreams(): OpenStreams {
  const open = new Set<{ readonly viewer: Viewer }>();
  const countOf = (name: keyof Viewer, id: string): number =>
    [...open].filter(({ viewer }) => viewer[name] === id).length;

  return {
    hasRoomFor: ({ tenantId, userId }) =>
      open.size < STREAMS_AT_ONCE &&
      countOf('tenantId', tenantId) < STREAMS_OF_AN_ACCOUNT &&
      countOf('userId', userId) < STREAMS_OF_A_USER,
    counted: async function* (viewer, events) {
      const stream = { viewer };
      open.add(stream);
      try {
        yield* events;
      } finally {
        open.delete(stream);
      }
    },
  };
}
