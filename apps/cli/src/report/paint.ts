import type { Io, Output } from '../io.js';

/** Marks text on terminals; elsewhere it leaves text as it is. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly careful: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly quiet: (text: string) => string;
}

const sgr =
  (code: number) =>
  (text: string): string =>
    `\u001b[${code}m${text}\u001b[0m`;

const plain = (text: string): string => text;

const COLOURED: Paint = { good: sgr(32), bad: sgr(31), careful: sgr(33), strong: sgr(1), quiet: sgr(2) };
const PLAIN: Paint = { good: plain, bad: plain, careful: plain, strong: plain, quiet: plain };

/** Colour only on a terminal that can show it, and never against the user's wish (https://no-color.org). */
export function paintFor(output: Output, env: Io['env']): Paint {
  const isUnwanted = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return output.isTerminal && !isUnwanted ? COLOURED : PLAIN;
}
