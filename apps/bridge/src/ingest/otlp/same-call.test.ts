import { describe, expect, it, jest } from '@jest/globals';
import { RecentCalls } from './recent-calls.js';
import { withoutRepeats, type Recorded } from './same-call.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

interface Given {
  readonly id: string;
  readonly parent?: string;
  readonly model?: string;
  readonly output?: string;
  readonly isRefused?: boolean;
}

function recorded({ id, parent, model = 'm', output, isRefused = false }: Given): Recorded {
  return {
    span: {
      traceId: TRACE,
      spanId: id,
      parentSpanId: parent ?? null,
      name: id,
      startNano: 1n,
      endNano: 2n,
      attributes: new Map(),
      droppedAttributes: 0,
      events: [],
      droppedEvents: 0,
      status: 'ok',
      resource: new Map(),
    },
    call: { operation: 'chat', model },
    sides: output === undefined ? 1 : 2,
    isRefused,
  };
}

const kept = (...given: readonly Given[]): readonly string[] =>
  withoutRepeats(given.map(recorded)).map(({ span }) => span.spanId);

describe('spans of one call', () => {
  it.each<[string, readonly Given[], readonly string[]]>([
    ['keep the inner of two equal ones', [{ id: 'b', parent: 'a' }, { id: 'a' }], ['b']],
    [
      'keep the one with more content',
      [
        { id: 'b', parent: 'a' },
        { id: 'a', output: 'A' },
      ],
      ['a'],
    ],
    ['keep the one that is not refused', [{ id: 'b', parent: 'a', isRefused: true }, { id: 'a' }], ['a']],
    [
      'give one refusal',
      [
        { id: 'b', parent: 'a', isRefused: true },
        { id: 'a', isRefused: true },
      ],
      ['b'],
    ],
    ['keep one of three', [{ id: 'c', parent: 'b' }, { id: 'b', parent: 'a' }, { id: 'a' }], ['c']],
    ['keep all calls in a frame', [{ id: 'b', parent: 'a' }, { id: 'c', parent: 'a' }, { id: 'a' }], ['b', 'c']],
    [
      'drop frames around a frame',
      [{ id: 'c', parent: 'b' }, { id: 'd', parent: 'b' }, { id: 'b', parent: 'a' }, { id: 'a' }],
      ['c', 'd'],
    ],
    [
      'are not siblings',
      [
        { id: 'b', parent: 'x' },
        { id: 'c', parent: 'x' },
      ],
      ['b', 'c'],
    ],
    ['are not of two models', [{ id: 'b', parent: 'a', model: 'other' }, { id: 'a' }], ['b', 'a']],
    [
      'survive a circle',
      [
        { id: 'a', parent: 'b' },
        { id: 'b', parent: 'a' },
      ],
      ['a', 'b'],
    ],
  ])('%s', (_, given, expected) => {
    expect(kept(...given)).toEqual(expected);
  });
});

describe('spans of one call in two exports', () => {
  const [child, parent] = [recorded({ id: 'b', parent: 'a' }), recorded({ id: 'a' })];

  it('leave the later one out, in either order', () => {
    const [childFirst, parentFirst] = [new RecentCalls(), new RecentCalls()];
    childFirst.add('tenant', child);
    parentFirst.add('tenant', parent);
    expect([childFirst.hasOther('tenant', parent), parentFirst.hasOther('tenant', child)]).toEqual([true, true]);
  });

  it('leave the later one out when both were read before', () => {
    const recent = new RecentCalls();
    expect([recent.hasOther('tenant', child), recent.hasOther('tenant', parent)]).toEqual([false, false]);
    const refused = recorded({ id: 'a', isRefused: true });
    expect(recent.take('tenant', [child])).toEqual([child]);
    expect(recent.take('tenant', [parent, refused])).toEqual([refused]);
  });

  it('replay the span that was certified', () => {
    const recent = new RecentCalls();
    recent.add('tenant', child);
    expect(recent.hasOther('tenant', child)).toBe(false);
  });

  it('do not meet across tenants, models and failures', () => {
    const recent = new RecentCalls();
    recent.add('tenant', child);
    expect(recent.hasOther('other', parent)).toBe(false);
    expect(recent.hasOther('tenant', recorded({ id: 'a', model: 'other' }))).toBe(false);
    recent.remove('tenant', child);
    expect(recent.hasOther('tenant', parent)).toBe(false);
  });

  it('remain known while others are forgotten, without a search for the oldest in each', () => {
    const recent = new RecentCalls();
    const searches = jest.spyOn(Map.prototype, 'keys');
    for (let at = 0; at < 60_000; at += 1) recent.add('tenant', recorded({ id: `${at}`, parent: `parent of ${at}` }));
    const count = searches.mock.calls.length;
    searches.mockRestore();
    const isKnown = (at: number): boolean => recent.hasOther('tenant', recorded({ id: `parent of ${at}` }));
    expect([0, 20_000, 59_999].map(isKnown)).toEqual([false, true, true]);
    expect(count).toBeLessThan(100);
  });
});
