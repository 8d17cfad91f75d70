import { word } from './constants.js';
import { refuse } from './violation.js';

/** Values of a last argument that sketches leave out, `isClosed && CLOSE` for one. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([undefined, null, false]);

/**
 * The mode that a word of a sketch names.
 * @param rule what the refusal says, for any other value
 */
export function modeOf<Mode extends string>(value: unknown, modes: readonly Mode[], rule: string): Mode {
  const chosen = word(value).toLowerCase();
  return modes.find((mode) => mode === chosen) ?? refuse(rule);
}

/** The same for an argument that may be left out. */
export function modeOrNone<Mode extends string>(
  value: unknown,
  modes: readonly Mode[],
  rule: string,
): Mode | undefined {
  return LEFT_OUT.has(value) ? undefined : modeOf(value, modes, rule);
}
