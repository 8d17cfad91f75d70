/** The engine's messages for a limit that depends on the machine, on the compiler or on the engine's version. */
const LIMITS = [
  'Maximum call stack size exceeded',
  'Array buffer allocation failed',
  'Invalid string length',
  'Map maximum size exceeded',
  'Set maximum size exceeded',
  'Maximum BigInt size exceeded',
  // JavaScriptCore.
  'Maximum call stack size exceeded.',
  'Out of memory',
  'Out of memory: BigInt generated from this operation is too big',
  // SpiderMonkey.
  'BigInt is too large to allocate',
  'repeat count must be less than infinity and not overflow maximum string size',
  'too many arguments provided for a function call',
  'too many function arguments',
];

/** How the message begins where `bind` has more arguments than this version of the engine takes; their number follows. */
const TOO_MANY_ARGUMENTS = 'Too many arguments in function call (only ';

/** An allocation failed for lack of memory. */
export class MemoryLimitError extends RangeError {}

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { prototype: rangeError } = RangeError;
const { RuntimeError } = WebAssembly;
/** What SpiderMonkey throws at all other limits; other engines do not have it. */
const internalError: unknown = Reflect.get(Object(Reflect.get(globalThis, 'InternalError')) as object, 'prototype');

/**
 * Whether a thrown value says that a limit was reached which is not the same everywhere. Where a recursion ends, say,
 * depends on which functions are compiled; a sketch that catches it and continues would draw another picture next time.
 */
export function isLimit(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (thrown instanceof MemoryLimitError || thrown instanceof RuntimeError) return true;
  const prototype: unknown = getPrototypeOf(thrown);
  if (prototype === internalError) return true;
  if (prototype !== rangeError) return false;
  const message: unknown = getOwnPropertyDescriptor(thrown, 'message')?.value;
  // Without methods, which the sketch may have replaced.
  for (let i = 0; i < LIMITS.length; i++) if (LIMITS[i] === message) return true;
  return begins(message, TOO_MANY_ARGUMENTS);
}

function begins(message: unknown, beginning: string): boolean {
  if (typeof message !== 'string') return false;
  for (let i = 0; i < beginning.length; i++) if (message[i] !== beginning[i]) return false;
  return true;
}
