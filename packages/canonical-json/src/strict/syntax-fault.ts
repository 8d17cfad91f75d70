/** Where text stops being JSON. Lines and columns start at 1; columns count UTF-16 units. */
export interface SyntaxFault {
  readonly line: number;
  readonly column: number;
  /** What the grammar allows there, in words; never the text itself. */
  readonly expected: string;
}

type Expectation = 'value' | 'value or ]' | 'key or }' | 'key' | ':' | ', or }' | ', or ]' | 'end';

const WORDS: Readonly<Record<Expectation, string>> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  'key or }': 'a member name in double quotes or "}"',
  key: 'a member name in double quotes',
  ':': '":" after the member name',
  ', or }': '"," or "}"',
  ', or ]': '"," or "]"',
  end: 'the end of the text',
};

const WHITE_SPACE = /[ \t\n\r]*/y;
const CHARACTERS = /[^"\\\p{Cc}]+|[\u007f-\u009f]+/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Finds the first place where text breaks the grammar of JSON; null for JSON. Not recursive: text may nest deeply. */
export function findSyntaxFault(text: string): SyntaxFault | null {
  if (text.startsWith('\ufeff')) {
    return { line: 1, column: 1, expected: 'no byte order mark: save the text as UTF-8 without BOM' };
  }
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  };
  const afterValue = (): Expectation => {
    const around = open.at(-1);
    if (around === undefined) return 'end';
    return around === '{' ? ', or }' : ', or ]';
  };
  for (;;) {
    take(WHITE_SPACE);
    const start = at;
    const unit = text[at] ?? '';
    if (unit === '') return expected === 'end' ? null : faultAt(text, at, WORDS[expected]);
    const isClosing =
      (unit === '}' && (expected === 'key or }' || expected === ', or }')) ||
      (unit === ']' && (expected === 'value or ]' || expected === ', or ]'));
    if (isClosing) {
      at += 1;
      open.pop();
      expected = afterValue();
    } else if (unit === '"' && expected !== ':' && expected !== 'end' && !expected.startsWith(',')) {
      at += 1;
      while (take(CHARACTERS) !== null || take(ESCAPE) !== null);
      if (text[at] !== '"') return faultAt(text, at, 'a character that strings may hold, or the closing quote');
      at += 1;
      expected = expected.startsWith('key') ? ':' : afterValue();
    } else if (unit === ':' && expected === ':') {
      at += 1;
      expected = 'value';
    } else if (unit === ',' && expected.startsWith(',')) {
      at += 1;
      expected = expected === ', or }' ? 'key' : 'value';
    } else if (expected.startsWith('value') && (unit === '{' || unit === '[')) {
      at += 1;
      open.push(unit);
      expected = unit === '{' ? 'key or }' : 'value or ]';
    } else if (expected.startsWith('value') && take(SCALAR) !== null) {
      expected = afterValue();
    } else {
      return faultAt(text, start, WORDS[expected]);
    }
  }
}

function faultAt(text: string, at: number, expected: string): SyntaxFault {
  const before = text.slice(0, at);
  const lineStart = Math.max(before.lastIndexOf('\n'), -1) + 1;
  return { line: before.split('\n').length, column: at - lineStart + 1, expected };
}
