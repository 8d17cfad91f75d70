import { expect, it } from '@jest/globals';
import { TenantSettings } from './tenant-settings.js';

const SETTINGS: TenantSettings = {
  publish: { context: true, prompt: false, instruction: false, metadata: 'none' },
  minimumProtocol: '1.2.0',
  retentionDays: null,
  visibility: 'public',
  legalHold: false,
};
const ASTRAL = '\u{1d11e}';

const takes = (change: object): boolean => TenantSettings.safeParse({ ...SETTINGS, ...change }).success;
const takesNames = (...metadata: string[]): boolean => takes({ publish: { ...SETTINGS.publish, metadata } });

it('a name of metadata has 1 to 256 code points', () => {
  for (const character of ['a', '\u00e9', '\u20ac', ASTRAL]) {
    expect(['', ...[1, 256, 257].map((length) => character.repeat(length))].map((name) => takesNames(name))).toEqual([
      ...[false, true],
      ...[true, false],
    ]);
  }
});

it.each(['\u0000', '\u001f', '\u007f', '\u009f', '\ud834', '\udd1e', 'a\n'])('no name of metadata has %j', (name) => {
  expect([takesNames('a'), takesNames(name), takesNames('a', name)]).toEqual([true, false, false]);
});

it('metadata has none, all or 1 to 50 names', () => {
  const names = Array.from({ length: 51 }, (_, at) => `name-${at}`);
  expect([takesNames(), takesNames(...names.slice(1)), takesNames(...names)]).toEqual([false, true, false]);
  expect(['none', 'all', 'some'].map((metadata) => takes({ publish: { ...SETTINGS.publish, metadata } }))).toEqual([
    ...[true, true],
    false,
  ]);
});

it('records are kept for 1 to 36,500 whole days or indefinitely', () => {
  const days = [1, 36_500, null, 0, 36_501, 1.5, '7'];
  expect(days.map((retentionDays) => takes({ retentionDays }))).toEqual([true, true, true, false, false, false, false]);
});
