import { pngPixels } from './png-pixels.mjs';

/** How two pictures of one size differ: share of pixels, share by more than 8 steps of a channel, the greatest step. */
export function pngDifference(one, other) {
  const [a, b] = [pngPixels(one), pngPixels(other)];
  let [different, visible, greatest] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 4) {
    let step = 0;
    for (let channel = at; channel < at + 4; channel += 1) step = Math.max(step, Math.abs(a[channel] - b[channel]));
    if (step > 0) different += 1;
    if (step > 8) visible += 1;
    greatest = Math.max(greatest, step);
  }
  const pixels = a.length / 4;
  return { different: different / pixels, visible: visible / pixels, greatest };
}
