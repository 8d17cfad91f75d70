import { describe, expect, it } from '@jest/globals';
import { ArrivingBody } from './arriving-body.js';

const MIB = 1024 * 1024;
const PIECE = 64 * 1024;

/** Every place of a body has its own value, so that a piece at the wrong place is seen. */
const bodyOf = (bytes: number): Buffer => Buffer.from(Uint32Array.from({ length: bytes / 4 }, (_, at) => at).buffer);

function arrived(bytes: number, announcedBytes: number): { readonly body: ArrivingBody; readonly sent: Buffer } {
  const sent = bodyOf(bytes);
  const body = new ArrivingBody(announcedBytes);
  for (let at = 0; at < bytes; at += PIECE) body.add(sent.subarray(at, at + PIECE));
  return { body, sent };
}

describe('an arriving body', () => {
  it.each([
    ['nothing', 0, NaN],
    ['one piece', 400, NaN],
    ['a few pieces', 600_000, 600_000],
    ['many pieces', 9 * MIB + 4, NaN],
    ['many pieces of an announced length', 9 * MIB + 4, 9 * MIB + 4],
    ['fewer bytes than announced', 2 * MIB, 3 * MIB],
    ['a small part of what was announced', 2 * MIB, 33 * MIB],
  ])('of %s is whole', async (_name, bytes, announcedBytes) => {
    const { body, sent } = arrived(bytes, announcedBytes);
    expect(Buffer.compare(await body.whole(), sent)).toBe(0);
  });

  it('takes no room for what is only announced', () => {
    const before = process.memoryUsage().arrayBuffers;
    const { body, sent } = arrived(2 * MIB, 1024 * MIB);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB);
    expect([body, sent]).toHaveLength(2);
  });

  it('without a length is joined over several turns', async () => {
    const { body } = arrived(9 * MIB, NaN);
    let turns = 0;
    let isJoined = false;
    const count = (): void => {
      turns += 1;
      if (!isJoined) setImmediate(count);
    };
    setImmediate(count);
    const whole = await body.whole();
    isJoined = true;
    expect(turns).toBeGreaterThanOrEqual(8);
    // A thread can take it over.
    expect(whole.buffer.byteLength).toBe(9 * MIB);
  });
});
