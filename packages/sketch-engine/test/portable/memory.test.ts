import { expect, it } from '@jest/globals';
import { loadEngine } from './engine.js';

it('copies pictures while the memory of Skia grows', async () => {
  const makeCanvas = await loadEngine();
  const target = makeCanvas(10, 10);
  // 2 times 16 MiB each, a canvas and its copy: whichever of the two needs room, the memory grows.
  const sources = Array.from({ length: 20 }, (_, index) => {
    const source = makeCanvas(2048, 2048);
    source.fillStyle = `rgb(${index}, 0, 0)`;
    source.fillRect(0, 0, 2048, 2048);
    target.drawImage(source.canvas, 0, 0, 1, 1, index % 10, 0, 1, 1);
    return [index, target.getImageData(index % 10, 0, 1, 1).data[0]];
  });
  expect(sources).toEqual(Array.from({ length: 20 }, (_, index) => [index, index]));
});
