import { expect, it } from '@jest/globals';
import { silentLogger } from '@cer/http-service/process';
import { observeAll } from './observe.js';
import type { AlertSource } from './source.js';

const CONDITIONS = 500;

it.each([true, false])('compares no two conditions with each other, complete: %s', async (isComplete) => {
  let reads = 0;
  const subjects = Array.from({ length: CONDITIONS }, (_, index) => `tenant-${index} 2026-03-01`);
  const observations = subjects.map((name) => ({
    type: 'dead_letters.reported' as const,
    get subject() {
      reads += 1;
      return name;
    },
    isFiring: true,
    details: {},
  }));
  const source: AlertSource = { type: 'dead_letters.reported', isComplete, observe: async () => observations };
  const states = subjects.map((subject) => ({ type: source.type, subject, isFiring: true, changedMs: 0 }));
  const alerts = { states: async () => states, change: async () => true };
  await observeAll({ alerts, sources: [source], logger: silentLogger() }, async () => [], new Date(0));
  expect(reads).toBeLessThanOrEqual(2 * CONDITIONS);
});
