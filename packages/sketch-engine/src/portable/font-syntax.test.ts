import { expect, it } from '@jest/globals';
import { parseFont } from './font-syntax.js';

it.each([
  ['12px serif', { size: 12, isBold: false, isItalic: false, families: ['serif'] }],
  [
    'bold italic 1.5PX/2 "Open Sans", Arial',
    { size: 1.5, isBold: true, isItalic: true, families: ['open sans', 'arial'] },
  ],
  ['normal 700 12pt mono space', { size: 16, isBold: true, isItalic: false, families: ['mono space'] }],
])('reads the font %j', (text, font) => {
  expect(parseFont(text)).toEqual(font);
});

it.each(['', 'serif', '12px', '12 serif', 'wobbly 12px serif', '-3px serif', '12px ,'])('ignores %j', (text) => {
  expect(parseFont(text)).toBeUndefined();
});
