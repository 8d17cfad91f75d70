import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@cer/http-service';
import { bytesInHand, type Place } from './bytes-in-hand.js';

/** The code that taking so many bytes is refused with; null when there is room. */
function refusalOf({ take }: Place, bytes: number): string | null {
  try {
    take(bytes);
    return null;
  } catch (error) {
    const refused: ServiceError | undefined = error instanceof ServiceError ? error : undefined;
    return refused?.code ?? 'not a refusal';
  }
}

describe('bytes in hand', () => {
  it('gives one tenant half of the room and leaves the rest to others', () => {
    const place = bytesInHand(100);
    const [first, second, other] = [place('a'), place('a'), place('b')];
    first.take(40);
    expect(refusalOf(second, 11)).toBe('SERVICE_UNAVAILABLE');
    expect(refusalOf(second, 10)).toBeNull();
    expect(refusalOf(other, 50)).toBeNull();
    expect(refusalOf(place('c'), 1)).toBe('SERVICE_UNAVAILABLE');
  });

  it('has room for one request alone, whatever its size', () => {
    const place = bytesInHand(100);
    const alone = place('a');
    alone.take(70);
    expect(refusalOf(alone, 500)).toBeNull();
    expect(refusalOf(place('b'), 1)).toBe('SERVICE_UNAVAILABLE');
  });

  it('has room again for what was given back, once', () => {
    const place = bytesInHand(100);
    const [first, second] = [place('a'), place('b')];
    first.take(50);
    second.take(50);
    first.give(20);
    expect(refusalOf(place('a'), 20)).toBeNull();
    first.leave();
    first.leave();
    first.give(50);
    expect(refusalOf(place('a'), 30)).toBeNull();
    expect(refusalOf(place('a'), 1)).toBe('SERVICE_UNAVAILABLE');
  });
});
