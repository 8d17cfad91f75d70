const WORD = /\bimport\b/g;
const SPACE = /\s*/y;
const LINE_COMMENT = /(?:\/\/|<!-{2}|-->)[^\n\r\u2028\u2029]*/y;
const PHASE = /(?:source|defer)\b/y;

/**
 * Whether a classic script calls `import()`. A promise of it settles when the machine finds the time, and some
 * addresses bypass every policy. The keyword cannot be escaped and no text can become code, so searching the script's
 * text is enough; within a comment or a string it counts as well.
 */
export function callsImport(script: string): boolean {
  for (const { index, 0: word } of script.matchAll(WORD)) {
    let at = afterGap(script, index + word.length);
    if (script[at] === '.') {
      at = afterGap(script, at + 1);
      const end = matchEnd(PHASE, script, at);
      if (end === at) continue;
      at = afterGap(script, end);
    }
    if (script[at] === '(') return true;
  }
  return false;
}

/** Where the next token begins: beyond blanks and comments, those of HTML included. */
function afterGap(script: string, from: number): number {
  let at = from;
  for (;;) {
    let end = matchEnd(LINE_COMMENT, script, matchEnd(SPACE, script, at));
    if (script.startsWith('/*', end)) {
      const close = script.indexOf('*/', end + 2);
      if (close === -1) return script.length;
      end = close + 2;
    }
    if (end === at) return at;
    at = end;
  }
}

function matchEnd(sticky: RegExp, script: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(script) ? sticky.lastIndex : at;
}
