/**
 * How a hostile sketch may end.
 * - `same`: drawn or refused, and the second time with the same picture or refusal.
 * - `lost`: drawn with the same picture, or refused because it ended its own page.
 * - `bounded`: drawn or refused, by time or by memory.
 * - `timeout`: refused by its deadline.
 * - `honest`: drawn as the honest picture, which the attack before it must not have changed.
 */
export type Ending = 'same' | 'lost' | 'bounded' | 'timeout' | 'honest';

export interface HostileSketch {
  readonly name: string;
  readonly code: string;
  readonly ending: Ending;
}

export interface Family {
  readonly name: string;
  /** @param port where a listener counts packets */
  readonly sketches: (port: number) => readonly HostileSketch[];
  /** The sketch that represents the family in the short form. */
  readonly short: string;
}

/** A sketch that escaped shows this in its answer. */
export const ESCAPED = 'sketch-has-escaped';

/** Draws any value, so that two pictures differ where two values do. */
export const DRAW_VALUE = `
  const drawValue = (value) => {
    let text = '';
    try { text = typeof value + String(value); } catch { text = 'no text'; }
    background(255);
    for (let i = 0; i < text.length && i < 64; i++) {
      fill(text.charCodeAt(i) % 256);
      rect((i % 8) * 200, Math.floor(i / 8) * 200, 200, 200);
    }
  };`;

/** Names every use of a list, as one sketch each. */
export function each(
  uses: Readonly<Record<string, string>>,
  ending: Ending,
  sketch: (use: string) => string,
): HostileSketch[] {
  return Object.entries(uses).map(([name, use]) => ({ name, code: sketch(use), ending }));
}

/** Names uses by their own text. */
export function byText(uses: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(uses.map((use) => [use, use]));
}
