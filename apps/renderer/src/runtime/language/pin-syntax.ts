import { parse, type AnyNode, type AssignmentExpression, type BinaryExpression, type Token } from 'acorn';
import { POWER } from './syntax-names.js';

/** Newer syntax is refused, so that a sketch means the same in every engine that can draw it. */
const ECMASCRIPT = 2023;

/** A script that does not parse, or uses what a sketch cannot. */
export class SketchSyntaxError extends Error {
  override readonly name = 'SyntaxError';
  /** 1 for the first line; absent when no line is to blame. */
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

interface Edit {
  readonly at: number;
  /** How many characters of the script it replaces. */
  readonly removes: number;
  readonly text: string;
}

/**
 * Writes `**` and `**=` of a classic script as calls of the pinned power: engines compute the operator by the machine's C
 * library. Lines stay where they are.
 * @throws SketchSyntaxError
 */
export function pinSyntax(script: string): string {
  const operators: Token[] = [];
  const program = parseScript(script, (token) => {
    operators.push(token);
  });
  if (!operators.some(isPower)) return script;
  if (script.includes(POWER)) throw new SketchSyntaxError(`${POWER} is not a name for sketches`);
  const edits: Edit[] = [];
  walk(program, {
    enter(node) {
      if (isPowerNode(node)) edits.push(...openingEdits(node, script, operators));
    },
    leave(node) {
      if (isPowerNode(node)) edits.push({ at: node.end, removes: 0, text: ')' });
    },
  });
  return applyEdits(script, edits);
}

function parseScript(script: string, onToken: (token: Token) => void): AnyNode {
  try {
    return parse(script, { ecmaVersion: ECMASCRIPT, sourceType: 'script', onToken });
  } catch (error) {
    if (error instanceof SyntaxError) {
      const { loc, pos } = error as { readonly loc?: { readonly line: number }; readonly pos?: number };
      throw new SketchSyntaxError(describe(error.message, script, pos ?? 0), loc?.line);
    }
    if (error instanceof RangeError) throw new SketchSyntaxError('the sketch is nested too deeply');
    throw error;
  }
}

const WORD_OR_SIGN = /[\w$]+|[^]/uy;

/** The parser's message without the place it ends with, and with the token that it leaves out. */
function describe(message: string, script: string, at: number): string {
  const text = message.replace(/ \(\d+:\d+\)$/, '');
  if (text !== 'Unexpected token') return text;
  WORD_OR_SIGN.lastIndex = at;
  const token = WORD_OR_SIGN.exec(script)?.[0];
  return token === undefined ? 'Unexpected end of input' : `${text} '${token}'`;
}

type PowerNode = BinaryExpression | AssignmentExpression;

function isPower({ type, value }: Token & { readonly value?: unknown }): boolean {
  return type.label === '**' || value === '**=';
}

function isPowerNode(node: AnyNode): node is PowerNode {
  return (
    (node.type === 'BinaryExpression' && node.operator === '**') ||
    (node.type === 'AssignmentExpression' && node.operator === '**=')
  );
}

function openingEdits(node: PowerNode, script: string, tokens: readonly Token[]): Edit[] {
  const { left, right } = node;
  const operator = tokenBetween(tokens, left.end, right.start, isPower);
  const replaceOperator = (text: string): Edit => ({
    at: operator.start,
    removes: operator.end - operator.start,
    text,
  });
  // The blank keeps it apart from a keyword before it.
  if (node.type === 'BinaryExpression')
    return [{ at: node.start, removes: 0, text: ` ${POWER}(` }, replaceOperator(',')];
  if (left.type === 'Identifier') return [replaceOperator(`= ${POWER}(${left.name},`)];
  if (left.type !== 'MemberExpression' || left.object.type === 'Super' || left.property.type === 'PrivateIdentifier') {
    const { line } = lineOf(script, node.start);
    throw new SketchSyntaxError('**= works on variables and ordinary members only', line);
  }
  const { object, property, computed } = left;
  const member = tokenBetween(tokens, object.end, property.start, ({ type }) => /^[.[]$/.test(type.label));
  return [
    { at: left.start, removes: 0, text: ` ${POWER}.at(` },
    { at: member.start, removes: 1, text: ',' },
    ...(computed
      ? [{ at: left.end - 1, removes: 1, text: ')' }]
      : [
          {
            at: property.start,
            removes: left.end - property.start,
            text: `'${script.slice(property.start, left.end)}')`,
          },
        ]),
    replaceOperator('.by('),
  ];
}

/** Tokens come in the order of the script. */
function tokenBetween(
  tokens: readonly Token[],
  from: number,
  to: number,
  fits: (token: Token) => boolean,
): { readonly start: number; readonly end: number } {
  let low = 0;
  for (let high = tokens.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((tokens[middle]?.start ?? Infinity) < from) low = middle + 1;
    else high = middle;
  }
  for (let at = low; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.start >= to) break;
    if (fits(token)) return token;
  }
  throw new Error('the parser gave a node without its token');
}

function lineOf(script: string, at: number): { readonly line: number } {
  return { line: script.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/).length };
}

interface Visitor {
  readonly enter: (node: AnyNode) => void;
  readonly leave: (node: AnyNode) => void;
}

/** Visits every node without recursion: a sketch may be nested as deeply as the parser bears. */
function walk(root: AnyNode, { enter, leave }: Visitor): void {
  const pending: { readonly node: AnyNode; readonly isLeft: boolean }[] = [{ node: root, isLeft: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isLeft } = next;
    if (isLeft) {
      leave(node);
      continue;
    }
    enter(node);
    pending.push({ node, isLeft: true });
    for (const value of Object.values(node).flat() as unknown[])
      if (isNode(value)) pending.push({ node: value, isLeft: false });
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string';
}

/** Of several at one place, the earlier in the list comes first: outer nodes open first, inner ones close first. */
function applyEdits(script: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { at, removes, text } of [...edits].sort((a, b) => a.at - b.at)) {
    parts.push(script.slice(done, at), text);
    done = at + removes;
  }
  return [...parts, script.slice(done)].join('');
}
