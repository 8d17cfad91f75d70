import { JsonError } from '../errors.js';
import { formatPath } from '../value/path.js';

// JSON.parse keeps the last of duplicate keys, rounds long integers and has no depth limit: this scan of the same text
// finds what it would hide. It does not check the grammar, JSON.parse does that afterwards.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Below this many keys a linear search is faster than making a Set. */
const SMALL_OBJECT = 12;
/** A plain integer of fewer characters is below 2^53. */
const SAFE_INTEGER_LENGTH = 16;

class Container {
  readonly isObject: boolean;
  readonly keys: string[] = [];
  keySet: Set<string> | null = null;
  index = 0;
  expectsKey: boolean;

  constructor(isObject: boolean) {
    this.isObject = isObject;
    this.expectsKey = isObject;
  }

  /** False when the key was there before. */
  addKey(key: string): boolean {
    if (this.keySet === null) {
      if (this.keys.includes(key)) return false;
      this.keys.push(key);
      if (this.keys.length > SMALL_OBJECT) this.keySet = new Set(this.keys);
      return true;
    }
    if (this.keySet.has(key)) return false;
    this.keySet.add(key);
    this.keys.push(key);
    return true;
  }

  step(): string | number {
    return this.isObject ? (this.keys.at(-1) ?? '') : this.index;
  }
}

/**
 * Finds what strict JSON forbids in text that JSON.parse would take.
 * @returns the first fault, or null
 * @throws JsonError at once when nested too deep, also in text that is not JSON
 */
export function findStrictFault(text: string, maxDepth: number): JsonError | null {
  const stack: Container[] = [];
  let current: Container | null = null;
  let fault: JsonError | null = null;
  const refuse = (rule: string, atKey?: string): void => {
    const steps = stack.map((container) => container.step());
    if (atKey !== undefined) steps[steps.length - 1] = atKey;
    fault ??= new JsonError('JSON_NOT_STRICT', formatPath(steps), rule);
  };

  const length = text.length;
  let at = 0;
  while (at < length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = endOfString(text, at + 1);
      if (end < 0) return fault;
      if (current !== null && current.expectsKey) {
        current.expectsKey = false;
        const key = keyText(text, at, end);
        if (key === null) return fault;
        if (!current.addKey(key)) refuse('duplicate key', key);
      }
      at = end + 1;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (stack.length >= maxDepth) {
        const steps = stack.map((container) => container.step());
        throw new JsonError('JSON_NOT_STRICT', formatPath(steps), `nested deeper than ${maxDepth} levels`);
      }
      current = new Container(unit === OPEN_OBJECT);
      stack.push(current);
      at += 1;
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) {
      stack.pop();
      current = stack.at(-1) ?? null;
      at += 1;
    } else if (unit === COMMA) {
      if (current !== null) {
        if (current.isObject) current.expectsKey = true;
        else current.index += 1;
      }
      at += 1;
    } else if (unit === MINUS || (unit >= DIGIT_0 && unit <= DIGIT_9)) {
      const end = endOfNumber(text, at + 1);
      const rule = numberFault(text, at, end);
      if (rule !== null) refuse(rule);
      at = end;
    } else {
      at += 1;
    }
  }
  return fault;
}

/** Index of the closing quote, or -1. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote > 0 && text.charCodeAt(quote - 1) === BACKSLASH) {
    let backslashes = 1;
    while (quote - 1 - backslashes >= from && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return quote;
}

/** The key between two quotes with its escapes resolved, or null where they are not valid JSON. */
function keyText(text: string, open: number, close: number): string | null {
  const raw = text.slice(open + 1, close);
  if (!raw.includes('\\')) return raw;
  try {
    const key: unknown = JSON.parse(text.slice(open, close + 1));
    return typeof key === 'string' ? key : null;
  } catch {
    return null;
  }
}

function endOfNumber(text: string, from: number): number {
  let at = from;
  for (;;) {
    const unit = text.charCodeAt(at);
    const inNumber =
      (unit >= DIGIT_0 && unit <= DIGIT_9) ||
      unit === POINT ||
      unit === 0x65 || // e
      unit === 0x45 || // E
      unit === 0x2b || // +
      unit === MINUS;
    if (!inNumber) return at;
    at += 1;
  }
}

/** The rule a number literal breaks: it would not come back as it was written. */
function numberFault(text: string, start: number, end: number): string | null {
  if (end - start < SAFE_INTEGER_LENGTH && !hasExponent(text, start, end)) return null;
  const literal = text.slice(start, end);
  const value = Number(literal);
  if (Number.isNaN(value)) return null;
  if (!Number.isFinite(value)) return 'number too large';
  if (value === 0 && hasNonZeroDigit(literal)) return 'number too small, it would become 0';
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return null;
  const integer = integerOf(literal);
  if (integer !== null && plainText(value) !== integer) {
    return 'integer beyond 2^53-1 that a double cannot hold exactly';
  }
  return null;
}

// Loops, not regular expressions: one that V8 has not optimized has no stack left on a literal of some megabytes.

/** Whether the mantissa has a digit other than 0. */
function hasNonZeroDigit(literal: string): boolean {
  let at = literal.charCodeAt(0) === MINUS ? 1 : 0;
  while (literal.charCodeAt(at) === DIGIT_0 || literal.charCodeAt(at) === POINT) at += 1;
  return isDigit(literal.charCodeAt(at));
}

/** The plain integer of a literal that is one, or one with a fraction of zeros; else null. */
function integerOf(literal: string): string | null {
  let at = literal.charCodeAt(0) === MINUS ? 1 : 0;
  const digits = at;
  while (isDigit(literal.charCodeAt(at))) at += 1;
  if (at === digits) return null;
  const integer = literal.slice(0, at);
  if (at === literal.length) return integer;
  if (literal.charCodeAt(at) !== POINT || at + 1 === literal.length) return null;
  at += 1;
  while (literal.charCodeAt(at) === DIGIT_0) at += 1;
  return at === literal.length ? integer : null;
}

function isDigit(unit: number): boolean {
  return unit >= DIGIT_0 && unit <= DIGIT_9;
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x65 || unit === 0x45) return true;
  }
  return false;
}

function plainText(value: number): string {
  return JSON.stringify(value);
}
