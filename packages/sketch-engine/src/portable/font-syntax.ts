/** A font as a sketch asks for it. */
export interface FontRequest {
  readonly size: number;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  /** In order of preference, lower case, without quotes. */
  readonly families: readonly string[];
}

const UNITS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 96 / 2.54, mm: 9.6 / 2.54 };
const SIZE = /^(\d+\.?\d*|\.\d+)(px|pt|pc|in|cm|mm)(?:\/\S+)?$/;
const STYLES = new Set(['normal', 'small-caps', 'lighter']);
const BOLD = new Set(['bold', 'bolder', '600', '700', '800', '900']);
const REGULAR = new Set(['100', '200', '300', '400', '500']);

export const FIRST_FONT: FontRequest = { size: 10, isBold: false, isItalic: false, families: ['sans-serif'] };

/** Reads the canvas's `font`. @returns undefined for text that is not a font, which the canvas ignores */
export function parseFont(text: string): FontRequest | undefined {
  const words = text.trim().split(/\s+/);
  const at = words.findIndex((word) => SIZE.test(word.toLowerCase()));
  if (at === -1) return undefined;
  let isBold = false;
  let isItalic = false;
  for (const word of words.slice(0, at).map((each) => each.toLowerCase())) {
    if (BOLD.has(word)) isBold = true;
    else if (word === 'italic' || word === 'oblique') isItalic = true;
    else if (!STYLES.has(word) && !REGULAR.has(word)) return undefined;
  }
  const [, digits = '', unit = 'px'] = SIZE.exec(words[at]?.toLowerCase() ?? '') ?? [];
  const families = words
    .slice(at + 1)
    .join(' ')
    .split(',')
    .map((family) =>
      family
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2')
        .toLowerCase(),
    )
    .filter((family) => family !== '');
  if (families.length === 0) return undefined;
  return { size: Number(digits) * (UNITS[unit] ?? 1), isBold, isItalic, families };
}
