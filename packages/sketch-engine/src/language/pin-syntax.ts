import { parse, type AnyNode, type AssignmentExpression, type BinaryExpression, type Token } from 'acorn';
import { applyEdits, insertion, walk, type Edit } from './syntax-edits.js';
import { POWER, RESERVED_NAMES } from './syntax-names.js';
import { tryClosings, tryOpenings } from './try-edits.js';

/** Newer syntax is refused, so that a sketch means the same in every engine that can draw it. */
const ECMASCRIPT = 2023;

/** A script that does not parse, or uses what a sketch cannot. */
export class SketchSyntaxError extends Error {
  override readonly name: string = 'SyntaxError';
  /** 1 for the first line; absent when no line is to blame. */
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** A script that asks for what no sketch may have. */
export class SketchRuleError extends SketchSyntaxError {
  override readonly name: string = 'ProtocolViolation';
}

/**
 * Writes what engines do differently in a classic script as calls of what is pinned: `**` and `**=`, which engines
 * compute by the machine's C library, and every `catch`, which first asks whether it caught a limit of the machine. Lines
 * stay where they are.
 * @throws SketchSyntaxError, SketchRuleError
 */
export function pinSyntax(script: string): string {
  const tokens: Token[] = [];
  const program = parseScript(script, (token) => {
    tokens.push(token);
  });
  const edits: Edit[] = [];
  let scopesOfObjects = 0;
  walk(program, {
    enter(node) {
      const fault = faultOf(node, scopesOfObjects > 0);
      if (fault !== undefined) throw fault(lineOf(script, node.start).line);
      if (isPowerNode(node)) edits.push(...openingEdits(node, script, tokens));
      if (node.type === 'TryStatement') edits.push(...tryOpenings(node));
      if (node.type === 'WithStatement') scopesOfObjects += 1;
    },
    leave(node) {
      if (isPowerNode(node)) edits.push(insertion(node.end, ')'));
      if (node.type === 'TryStatement') edits.push(...tryClosings(node));
      if (node.type === 'WithStatement') scopesOfObjects -= 1;
    },
  });
  return edits.length === 0 ? script : applyEdits(script, edits);
}

/** Why a node makes no sketch. */
function faultOf(node: AnyNode, isInWith: boolean): ((line: number) => SketchSyntaxError) | undefined {
  if (node.type === 'Identifier' && RESERVED_NAMES.has(node.name))
    return (line) => new SketchSyntaxError(`${node.name} is not a name for sketches`, line);
  // Its members could hide the function that the catch calls.
  if (node.type === 'TryStatement' && isInWith)
    return (line) => new SketchSyntaxError('try does not work within with', line);
  if (('async' in node && node.async) || (node.type === 'ForOfStatement' && node.await))
    return (line) => new SketchRuleError('a sketch cannot be async: nothing of it runs after a frame', line);
  return undefined;
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
  if (text.startsWith("'import' and 'export' may appear only"))
    return 'a sketch is one script, without import and export';
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
  if (node.type === 'BinaryExpression') return [insertion(node.start, ` ${POWER}(`), replaceOperator(',')];
  if (left.type === 'Identifier') return [replaceOperator(`= ${POWER}(${left.name},`)];
  if (left.type !== 'MemberExpression' || left.object.type === 'Super' || left.property.type === 'PrivateIdentifier') {
    const { line } = lineOf(script, node.start);
    throw new SketchSyntaxError('**= works on variables and ordinary members only', line);
  }
  const { object, property, computed } = left;
  const member = tokenBetween(tokens, object.end, property.start, ({ type }) => /^[.[]$/.test(type.label));
  return [
    insertion(left.start, ` ${POWER}.at(`),
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
