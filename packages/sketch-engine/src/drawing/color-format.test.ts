import { expect, it } from '@jest/globals';
import { Color, DEFAULT_COLOR_MODE } from './color.js';

// What p5.js 1.11.10 returns; p5.js 2 has other texts, and no short hexadecimal ones.
it.each([
  ['#rgb', '#1c2'],
  ['#rgba', '#1c28'],
  ['#rrggbb', '#0ac81e'],
  ['#rrggbbaa', '#0ac81e80'],
  ['rgb', 'rgb(10, 200, 30)'],
  ['rgba', 'rgba(10,200,30,0.5019607843137255)'],
  ['rgb%', 'rgb(3.92%, 78.4%, 11.8%)'],
  ['rgba%', 'rgba(3.92%, 78.4%, 11.8%, 50.2%)'],
  ['hsl', 'hsl(126.3157894736842, 90.47619047619048, 41.17647058823529)'],
  ['hsla', 'hsla(126.3157894736842, 90.47619047619048, 41.17647058823529, 0.5019607843137255)'],
  ['hsl%', 'hsl(35.1%, 90.5%, 41.2%)'],
  ['hsla%', 'hsl(35.1%, 90.5%, 41.2%, 50.2%)'],
  ['hsb', 'hsb(126.3157894736842, 95, 78.43137254901961)'],
  ['hsba', 'hsba(126.3157894736842, 95, 78.43137254901961, 0.5019607843137255)'],
  ['hsb%', 'hsb(35.1%, 95.0%, 78.4%)'],
  ['hsba%', 'hsba(35.1%, 95.0%, 78.4%, 50.2%)'],
  [undefined, 'rgba(10,200,30,0.5019607843137255)'],
])('writes a colour as %s', (format, text) => {
  const written = new Color(10, 200, 30, 128 / 255, DEFAULT_COLOR_MODE).toString(format);
  // Hue and saturation are calculated another way: their last digits may differ.
  const short = (one: string): string => one.replace(/\d+\.\d{9,}/g, (digits) => Number(digits).toFixed(9));
  expect(short(written)).toBe(short(text));
});
