import { describe, expect, it } from '@jest/globals';
import { visibleText } from './visible-text.js';

describe('visible text', () => {
  it.each([
    ['plain text', 'Größe 3 < 4, 🎨', 'Größe 3 < 4, 🎨'],
    ['a terminal command', '\x1b[2Jgone\x9b31m', '\\u{1b}[2Jgone\\u{9b}31m'],
    ['line breaks', 'a\r\nb\u2028c', 'a\\u{d}\\u{a}b\\u{2028}c'],
    ['a change of direction', 'user\u202Eexe.gpj\u2066', 'user\\u{202e}exe.gpj\\u{2066}'],
    ['characters of no width', 'a\u200bb\ufeff\u{e0041}', 'a\\u{200b}b\\u{feff}\\u{e0041}'],
    ['half a character', 'x\ud83cy', 'x\\u{d83c}y'],
  ])('shows %s', (_name, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('has other escapes where a caller asks for them', () => {
    expect(visibleText('a\u202eb\n', (character) => `<${character.length}>`)).toBe('a<1>b<1>');
  });
});
