import type { ParseArgsConfig } from 'node:util';
import type { Environment } from '@cer/http-service/config';
import { OperatorError } from '@cer/http-service/process';
import type { Store } from '../store/index.js';

/** The resources of a command. */
export interface CommandContext {
  readonly env: Environment;
  /** Writes one line of the command's answer. */
  readonly print: (line: string) => void;
  /** Everything on the standard input, without its last newline. */
  readonly readInput: () => Promise<string>;
  /** Runs `work` on the store and closes it. */
  readonly withStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
  readonly now: () => Date;
}

type OptionTypes = NonNullable<ParseArgsConfig['options']>;
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export interface Command {
  /** Behind the words that name it. */
  readonly usage: string;
  /** What it does, for the usage. */
  readonly summary: string;
  readonly options: OptionTypes;
  run(values: OptionValues, context: CommandContext): Promise<void>;
}

/** A command that was called wrongly, or cannot do what it was asked; the message is for the person who called it. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError';
}

/** Actor in the audit trail for acts of commands. */
export const COMMAND_LINE = 'command line';

/** @throws CommandError when the option is missing */
export function required(values: OptionValues, name: string): string {
  const value = values[name];
  if (typeof value !== 'string' || value === '') throw new CommandError(`--${name} is required`);
  return value;
}
