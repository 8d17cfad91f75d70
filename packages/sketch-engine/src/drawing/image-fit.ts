import { modeOf, modeOrNone } from './modes.js';

/** Left, top, width and height. */
type Box = readonly [number, number, number, number];

/**
 * The part of a picture and the place it is drawn to, where its proportions stay: `contain` makes the place smaller,
 * `cover` the part.
 */
export function fitImage(part: Box, place: Box, [fit, xAlign, yAlign]: readonly unknown[]): readonly [Box, Box] {
  const kind = modeOrNone(fit, ['contain', 'cover'], 'image: the fit must be CONTAIN or COVER');
  if (kind === 'contain') return [part, within(place, part[2] / part[3], xAlign, yAlign)];
  return kind === 'cover' ? [within(part, place[2] / place[3], xAlign, yAlign), place] : [part, place];
}

/** The largest box of these proportions, width by height, in another one. */
function within([left, top, width, height]: Box, proportions: number, xAlign: unknown, yAlign: unknown): Box {
  const [w, h] = [Math.min(width, height * proportions), Math.min(height, width / proportions)];
  const alignX = modeOf(xAlign ?? 'center', ['left', 'center', 'right'], 'image: xAlign must be LEFT, CENTER or RIGHT');
  const alignY = modeOf(yAlign ?? 'center', ['top', 'center', 'bottom'], 'image: yAlign must be TOP, CENTER or BOTTOM');
  return [left + (width - w) * shareOf(alignX), top + (height - h) * shareOf(alignY), w, h];
}

/** How much of the free space is on the left, or above. */
function shareOf(side: 'left' | 'top' | 'center' | 'right' | 'bottom'): number {
  return side === 'center' ? 0.5 : side === 'right' || side === 'bottom' ? 1 : 0;
}
