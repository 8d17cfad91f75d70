import { quote, type LoneSurrogates } from './text.js';

/** The members of objects of one shape in canonical order, and what is written before each value. */
export interface MemberOrder {
  readonly names: readonly string[];
  /** `{"first":` and `,"next":`, quoted once for all objects of the shape. */
  readonly prefixes: readonly string[];
}

interface KnownOrder extends MemberOrder {
  /** The names in the order the objects have them. */
  readonly given: readonly string[];
}

// Certificates of one kind have the same members in the same order, so sorting and quoting is done once for each shape.
// Hostile objects may have any shape, so the cache is bounded in every dimension.
const MAX_FIRST_NAMES = 1024;
const MAX_SHAPES_PER_FIRST_NAME = 8;
const MAX_NAMES = 64;
const MAX_NAME_LENGTH = 256;

/**
 * @returns a function from the names of an object, as it has them, to their canonical order: by UTF-16 code unit; null
 *   when a name has no canonical form
 */
export function createMemberOrders(loneSurrogates: LoneSurrogates): (given: readonly string[]) => MemberOrder | null {
  const byFirstName = new Map<string, KnownOrder[]>();

  return (given) => {
    const first = given[0] ?? '';
    const known = byFirstName.get(first);
    if (known !== undefined) for (const order of known) if (isSameList(order.given, given)) return order;
    const order = orderOf(given, loneSurrogates);
    if (order === null || !isWorthKeeping(given)) return order;
    if (known === undefined) {
      if (byFirstName.size < MAX_FIRST_NAMES) byFirstName.set(first, [{ ...order, given }]);
    } else if (known.length < MAX_SHAPES_PER_FIRST_NAME) {
      known.push({ ...order, given });
    }
    return order;
  };
}

function orderOf(given: readonly string[], loneSurrogates: LoneSurrogates): MemberOrder | null {
  const names = [...given].sort();
  const prefixes: string[] = [];
  for (const name of names) {
    const quoted = quote(name, loneSurrogates);
    if (quoted === null) return null;
    prefixes.push(`${prefixes.length === 0 ? '{' : ','}${quoted}:`);
  }
  return { names, prefixes };
}

function isWorthKeeping(given: readonly string[]): boolean {
  return given.length <= MAX_NAMES && given.every((name) => name.length <= MAX_NAME_LENGTH);
}

/** Names of parsed JSON are interned, so this mostly compares addresses. */
function isSameList(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) if (left[index] !== right[index]) return false;
  return true;
}
