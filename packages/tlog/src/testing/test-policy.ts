import type { TestLog } from './test-log.js';
import type { TestWitness } from './test-witness.js';

/** A policy of these logs whose quorum is all witnesses; with none, no witness is asked for. */
export function testPolicy(logs: readonly TestLog[], witnesses: readonly TestWitness[]): string {
  const names = witnesses.map(({ key }) => key.name);
  const quorum =
    names.length === 0
      ? ['quorum none']
      : [
          ...witnesses.map(({ key, vkey }) => `witness ${key.name} ${vkey}`),
          `group all-of-them all ${names.join(' ')}`,
        ];
  return [
    ...logs.map(({ vkey }) => `log ${vkey}`),
    ...quorum,
    ...(names.length === 0 ? [] : ['quorum all-of-them']),
    '',
  ].join('\n');
}
