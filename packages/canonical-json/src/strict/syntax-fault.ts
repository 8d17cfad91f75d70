/** Where text stops being JSON. Lines and columns start at 1; columns count UTF-16 units. */
export interface SyntaxFault {
  readonly line: number;
  readonly column: number;
  /** Description of what the grammar allows there; never the text itself. */
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

const WHITE_SPACE = ' \t\n\r';
const DIGITS = '0123456789';
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const LITERALS = ['true', 'false', 'null'];

/** Where characters of a set end. A loop: a regular expression may run out of stack on a long text. */
function endOf(set: string, text: string, from: number): number {
  let at = from;
  while (at < text.length && set.includes(text.charAt(at))) at += 1;
  return at;
}

/** Where the characters of a string end that begins before `from`: at its closing quote or at a fault. */
function endOfCharacters(text: string, from: number): number {
  for (let at = from; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit < 0x20) return at;
    if (unit === 0x5c) {
      ESCAPE.lastIndex = at;
      const escape = ESCAPE.exec(text)?.[0];
      if (escape === undefined) return at;
      at += escape.length;
    } else {
      at += 1;
    }
  }
  return text.length;
}

/** Where the longest number ends that begins at `from`; `from` itself when none does. */
function endOfNumber(text: string, from: number): number {
  const first = text[from] === '-' ? from + 1 : from;
  const whole = text[first] === '0' ? first + 1 : endOf(DIGITS, text, first);
  if (whole === first) return from;
  const fraction = text[whole] === '.' ? endOf(DIGITS, text, whole + 1) : whole;
  const end = fraction > whole + 1 ? fraction : whole;
  if (text[end] !== 'e' && text[end] !== 'E') return end;
  const exponent = text[end + 1] === '+' || text[end + 1] === '-' ? end + 2 : end + 1;
  const last = endOf(DIGITS, text, exponent);
  return last > exponent ? last : end;
}

/** Where a literal or number ends; `from` itself when none begins there. */
function endOfScalar(text: string, from: number): number {
  const literal = LITERALS.find((each) => text.startsWith(each, from));
  return literal === undefined ? endOfNumber(text, from) : from + literal.length;
}

/** Finds the first place where text breaks the grammar of JSON; null for JSON. Not recursive: text may nest deeply. */
export function findSyntaxFault(text: string): SyntaxFault | null {
  if (text.startsWith('\ufeff')) {
    return { line: 1, column: 1, expected: 'no byte order mark: save the text as UTF-8 without BOM' };
  }
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  const afterValue = (): Expectation => {
    const around = open.at(-1);
    if (around === undefined) return 'end';
    return around === '{' ? ', or }' : ', or ]';
  };
  for (;;) {
    at = endOf(WHITE_SPACE, text, at);
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
      at = endOfCharacters(text, at + 1);
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
    } else {
      const end = expected.startsWith('value') ? endOfScalar(text, at) : at;
      if (end === at) return faultAt(text, at, WORDS[expected]);
      at = end;
      expected = afterValue();
    }
  }
}

function faultAt(text: string, at: number, expected: string): SyntaxFault {
  const before = text.slice(0, at);
  const lineStart = Math.max(before.lastIndexOf('\n'), -1) + 1;
  return { line: before.split('\n').length, column: at - lineStart + 1, expected };
}
