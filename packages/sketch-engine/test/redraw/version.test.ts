import { expect, it } from '@jest/globals';
import { PORTABLE_VERSION } from '../../src/engine-identity.js';
import { MATH_PROBE, OPERATIONS_PROBE, PORTABLE_PINS, TEXT_PROBE } from '../../src/probes.js';
import { drawAgain } from './draw-again.js';

// Where this fails, a change changed pictures: raise PORTABLE_VERSION, add its row, and say so in the changelog.
it.each([
  ['text', TEXT_PROBE],
  ['operations', OPERATIONS_PROBE],
  ['math', MATH_PROBE],
] as const)('draws the pinned probe of %s', async (name, code) => {
  expect(await drawAgain(code)).toEqual({ kind: 'picture', ...PORTABLE_PINS[PORTABLE_VERSION]?.[name] });
});
