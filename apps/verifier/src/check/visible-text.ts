import type { ArtefactCheck } from './check-result.js';

// Characters that reorder, hide or move text: controls, separators of lines and paragraphs, directional marks, spaces
// of no width, tags. Joiners stay: scripts and emoji are written with them.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;

/** Untrusted text as it is displayed: invisible and reordering characters are replaced by their code point. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A check with every text of the file made visible. Texts for copying, and reports for programs, stay exact. */
export function withVisibleText<Check extends ArtefactCheck>(check: Check): Check {
  const { report, nodeResponse, handCheck } = check;
  // Strings take the place of strings, so it stays a check.
  return { ...(visibleIn(check) as Check), report, nodeResponse, handCheck };
}

function visibleIn(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.map(visibleIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visibleIn(inner)]));
}
