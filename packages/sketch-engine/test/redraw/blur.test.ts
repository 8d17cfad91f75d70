import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

const blurred = (radius: string): string => `function setup() {
  const made = createGraphics(40, 60);
  made.background(240, 200, 40);
  made.rect(10, 20, 20, 20);
  made.filter(BLUR, ${radius});
  image(made, 0, 0, width, height);
}`;

it.each([
  ['10000', '532'],
  ['NaN', '0'],
])('blurs by a radius of %s as by %s', async (radius, same) => {
  const drawn = await drawAgain(blurred(radius));
  expect(drawn.kind).toBe('picture');
  expect(drawn).toEqual(await drawAgain(blurred(same)));
});

it('names the limit of the radius where the picture is too large for more', async () => {
  const code = 'function setup() { const made = createGraphics(16000, 4); made.filter(BLUR, 65); }';
  const message = 'RangeError: filter: a picture this large takes a radius of at most 64 for BLUR';
  expect(await drawAgain(code)).toEqual({ kind: 'fault', fault: { code: 'RENDER_ERROR', line: 1, message } });
  expect(await drawAgain(code.replace('65', '64'))).toMatchObject({ kind: 'picture' });
});
