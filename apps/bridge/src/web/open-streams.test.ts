import { describe, expect, it } from '@jest/globals';
import { openStreams, type Viewer } from './open-streams.js';

async function* endless(): AsyncGenerator<string> {
  for (;;) yield 'event';
}

describe('open streams', () => {
  it('are bounded for a user and for an account, and end', async () => {
    const streams = openStreams();
    const opened: AsyncGenerator<string>[] = [];
    const openAll = async (viewer: Viewer): Promise<number> => {
      const before = opened.length;
      while (streams.hasRoomFor(viewer)) {
        const events = streams.counted(viewer, endless());
        await events.next();
        opened.push(events);
      }
      return opened.length - before;
    };
    const other = { tenantId: 'other', userId: 'u' };
    expect(await openAll({ tenantId: 'one', userId: 'first' })).toBe(20);
    for (let user = 0; user < 50; user += 1) await openAll({ tenantId: 'one', userId: `user ${user}` });
    expect(streams.hasRoomFor({ tenantId: 'one', userId: 'new' })).toBe(false);
    expect(await openAll(other)).toBe(20);
    for (const events of opened) await events.return(undefined);
    expect(await openAll({ tenantId: 'one', userId: 'first' })).toBe(20);
  });
});
