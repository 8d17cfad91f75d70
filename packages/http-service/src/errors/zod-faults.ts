import type * as z from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * Every fault of a failed zod check, as `path: rule`. The sentences are made here from the schema's own terms: zod's
 * messages can carry the received value. Messages of the schema's author are unchanged; they must name rules only.
 * @param input the checked value, to distinguish a missing member from one of the wrong type
 * @param whole the name of the whole value in its faults
 */
export function zodFaults(error: z.core.$ZodError, input: unknown, whole = 'body'): string[] {
  return error.issues.flatMap((issue) => faultsOf(issue, [], input, whole));
}

function faultsOf(issue: Issue, base: Path, input: unknown, whole: string): string[] {
  const path = [...base, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branch = fittingBranch(issue.errors);
    if (branch !== undefined) return branch.flatMap((inner) => faultsOf(inner, path, input, whole));
  }
  if (issue.code === 'invalid_element') return issue.issues.flatMap((inner) => faultsOf(inner, path, input, whole));
  return [`${pathText(path, whole)}: ${valueAt(input, path) === undefined ? 'is required' : ruleOf(issue)}`];
}

/** The only branch whose outer shape fits; its faults are more useful than "no branch fits". */
function fittingBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const fitting = branches.filter((issues) => issues.every(({ path }) => path.length > 0));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      return `must ${amountOf(issue.origin)} ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum.toString()}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${amountOf(issue.origin)} ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum.toString()}${unitOf(issue.origin)}`;
    case 'invalid_format':
      // Zod's own messages start with "Invalid"; any other is by the schema's author.
      return issue.message.startsWith('Invalid ') ? `must have the format ${issue.format}` : issue.message;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor.toString()}`;
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.map((key) => keyText(key)).join(', ')}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value))).join(' or ')}`;
    case 'invalid_key':
      return 'is not an allowed member name';
    case 'invalid_union':
      return unionRule(issue.errors);
    case 'invalid_element':
      return 'has a bad element';
    case 'custom':
      return issue.message;
  }
}

/** The types, when every branch fails on the value's type alone; otherwise a message would need the value. */
function unionRule(branches: readonly (readonly Issue[])[]): string {
  const outermost = branches.map((issues) => issues.find(({ path }) => path.length === 0));
  const rules = outermost.map((issue) => (issue?.code === 'invalid_type' ? withArticle(issue.expected) : undefined));
  const known = [...new Set(rules)];
  if (known.length === 0 || known.includes(undefined)) return 'has none of the allowed shapes';
  return `must be ${known.join(' or ')}`;
}

function withArticle(type: string): string {
  if (type === 'int') return 'an integer';
  if (type === 'null' || type === 'undefined') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function amountOf(origin: string): string {
  return unitOf(origin) === '' ? 'be' : 'have';
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  if (origin === 'array' || origin === 'set') return ' elements';
  return origin === 'file' ? ' bytes' : '';
}

function pathText(path: Path, whole: string): string {
  if (path.length === 0) return whole;
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = keyText(String(key));
    if (name.startsWith('"')) return `${text}[${name}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

const MAX_KEY_CHARACTERS = 64;

/** Member names come from the client too: unusual ones are escaped and truncated. */
function keyText(key: string): string {
  return /^[A-Za-z_$][\w$-]{0,63}$/.test(key) ? key : JSON.stringify(key.slice(0, MAX_KEY_CHARACTERS));
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    input,
  );
}
