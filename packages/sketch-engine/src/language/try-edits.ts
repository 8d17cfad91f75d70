import type { TryStatement } from 'acorn';
import { insertion, type Edit } from './syntax-edits.js';
import { CATCHES, CAUGHT, THROWN } from './syntax-names.js';

const checkOf = (name: string): string => `${CATCHES} = { thrown: ${name}, before: ${CATCHES} }; ${CAUGHT}();`;
const THROW_AGAIN = `catch (${THROWN}) { ${checkOf(THROWN)} throw ${THROWN}; }`;

/**
 * The edits of a `try` statement before the places within it: its `catch` first calls the check, and where it has a
 * `finally`, which may return its own value, everything thrown before and within passes the check as well.
 */
export function tryOpenings({ start, handler, finalizer }: TryStatement): Edit[] {
  const edits: Edit[] = [];
  if (finalizer && handler) edits.push(insertion(start, 'try { '));
  if (handler) edits.push(...catchOpenings(handler));
  if (finalizer) edits.push(insertion(finalizer.start + 1, ' try {'));
  return edits;
}

/** The edits after the places within. */
export function tryClosings({ block, handler, finalizer }: TryStatement): Edit[] {
  const edits: Edit[] = [];
  if (handler?.param && handler.param.type !== 'Identifier') edits.push(insertion(handler.body.end, ' }'));
  if (!finalizer) return edits;
  edits.push(handler ? insertion(handler.end, ` } ${THROW_AGAIN}`) : insertion(block.end, ` ${THROW_AGAIN}`));
  edits.push(insertion(finalizer.end - 1, `} ${THROW_AGAIN}`));
  return edits;
}

function catchOpenings({ start, param, body }: NonNullable<TryStatement['handler']>): Edit[] {
  if (param?.type === 'Identifier') return [insertion(body.start + 1, ` ${checkOf(param.name)}`)];
  if (!param) return [insertion(body.start, `(${THROWN}) `), insertion(body.start + 1, ` ${checkOf(THROWN)}`)];
  // A pattern may run code of the sketch: the check comes before it.
  return [insertion(start + 'catch'.length, ` (${THROWN}) { ${checkOf(THROWN)} try { throw ${THROWN}; } catch`)];
}
