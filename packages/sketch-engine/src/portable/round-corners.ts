/**
 * Radii of a rounded rectangle, one pair per corner from the top left clockwise; radii that do not fit shrink together.
 * @param radii one to four, as the canvas takes them: the first is at the start of both sides, also of negative ones
 */
export function cornersOf(radii: readonly number[], width: number, height: number): (readonly [number, number])[] {
  const [first = 0, second = first, third = first, fourth = second] = radii;
  const [e, f, g, h] = width < 0 ? [second, first, fourth, third] : [first, second, third, fourth];
  const [a, b, c, d] = height < 0 ? [h, g, f, e] : [e, f, g, h];
  const share = (side: number, sum: number): number => (sum === 0 ? 1 : Math.abs(side) / sum);
  const scale = Math.min(1, share(width, a + b), share(width, c + d), share(height, a + d), share(height, b + c));
  return [a, b, c, d].map((radius) => [radius * scale, radius * scale]);
}
