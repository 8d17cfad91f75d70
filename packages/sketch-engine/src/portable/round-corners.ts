/**
 * Radii of a rounded rectangle, one pair per corner from the top left clockwise; radii that do not fit shrink together.
 * @param radii one to four, as the canvas takes them
 */
export function cornersOf(radii: readonly number[], width: number, height: number): (readonly [number, number])[] {
  const [a = 0, b = a, c = a, d = b] = radii;
  const share = (side: number, sum: number): number => (sum === 0 ? 1 : side / sum);
  const scale = Math.min(1, share(width, a + b), share(width, c + d), share(height, a + d), share(height, b + c));
  return [a, b, c, d].map((radius) => [radius * scale, radius * scale]);
}
