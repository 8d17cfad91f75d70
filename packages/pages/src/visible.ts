// Characters that reorder, hide or move text: controls, separators of lines and paragraphs, directional marks, spaces
// of no width, tags. Joiners stay: scripts and emoji are written with them.
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;

/** Untrusted text as it is displayed: invisible and reordering characters are replaced by their code point. Pure. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
