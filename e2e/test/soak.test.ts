import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSoak } from '../../soak/document.mjs';
import { judge } from '../../soak/judge.mjs';
import { plot } from '../../soak/plot.mjs';

interface Sample {
  readonly seconds: number;
  readonly memoryMib: { readonly node: number };
  readonly descriptors: { readonly node: number };
  readonly threads: { readonly node: number };
  readonly latencyMs: { readonly certify: number | null };
  readonly walMib: number;
}

const samples = (at: (index: number) => Partial<Sample>): readonly Sample[] =>
  Array.from({ length: 60 }, (_, index) => ({
    seconds: index * 5,
    memoryMib: { node: 200 },
    descriptors: { node: 60 },
    threads: { node: 8 },
    latencyMs: { certify: 5 },
    walMib: 128,
    ...at(index),
  }));

const grown = (list: readonly Sample[]): readonly string[] =>
  judge(list).flatMap(({ quantity, isFlat }) => (isFlat ? [] : [quantity]));

describe('the judgement of a soak', () => {
  it('accepts flat quantities and growth during warm-up', () => {
    expect(grown(samples((index) => ({ memoryMib: { node: index < 10 ? 100 + index * 10 : 200 } })))).toEqual([]);
  });

  it('names each quantity that grows', () => {
    const growing = samples((index) => ({
      memoryMib: { node: 200 + index * 5 },
      descriptors: { node: 60 + index },
      threads: { node: 8 + Math.floor(index / 5) },
      latencyMs: { certify: 5 + index * 4 },
      walMib: 128 + index * 20,
    }));
    expect(grown(growing)).toEqual([
      'memoryMib node',
      'descriptors node',
      'threads node',
      'walMib',
      'latencyMs certify',
    ]);
  });

  it('does not call an unmeasured quantity flat', () => {
    expect(grown(samples(() => ({ latencyMs: { certify: null } })))).toEqual(['latencyMs certify']);
  });
});

describe('the plot of a soak', () => {
  it('has a line of every service and kind of request', () => {
    const picture = plot(
      samples(() => ({})),
      'A soak',
    );
    expect(picture.match(/<polyline/g)?.length).toBeGreaterThan(5);
    for (const text of ['A soak', '>node<', '>certify<', 'write-ahead logs']) expect(picture).toContain(text);
    expect(picture).not.toMatch(/NaN|undefined/);
  });
});

describe('the document of a soak', () => {
  const document = readFileSync(join(__dirname, '../../docs/reliability.md'), 'utf8');
  const facts = {
    ...{
      date: '2026-01-02T03:04:05.678Z',
      minutes: 3,
      capacity: 100,
      rate: 70,
      requests: 12_600,
      leftOut: 4,
      errors: 2,
    },
    loadAverage: { lowest: 1, median: 1.5, highest: 2.25 },
    errorsByReason: { 'certify 503': 2 },
    judged: [{ quantity: 'memoryMib node', first: 200.04, last: null, isFlat: false }],
  };

  it('replaces the figures of the last run and nothing else', () => {
    const once = withSoak(document, facts);
    expect(once).toContain('The run of 2026-01-02, 3 minutes, **did not pass**.');
    expect(once).toContain('Errors: 2 (2 times certify 503).');
    expect(once).toContain('| memoryMib node | 200 | - | no |');
    expect(withSoak(once, facts)).toBe(once);
    for (const heading of document.match(/^## .*$/gm) ?? []) expect(once).toContain(heading);
  });

  it('is refused without its place', () => {
    expect(() => withSoak('# Other', facts)).toThrow('no place');
  });
});
