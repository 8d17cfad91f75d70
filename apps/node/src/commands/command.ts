import { parseArgs } from 'node:util';
import type { Environment } from '@cer/http-service/config';
import { loadNodeConfig } from '../start/config.js';
import { openStore, type Store } from '../store/index.js';

/** One command of the node's program. */
export interface Command {
  /** The words that call it. */
  readonly name: string;
  /** Its lines of the usage: what to write, with leading spaces for an option, and what that does. */
  readonly usage: readonly (readonly [syntax: string, purpose: string])[];
  /** False for a command that nothing may follow. */
  readonly takesArguments: boolean;
  /**
   * @param args what follows its name
   * @returns the one line that it prints
   * @throws UsageError when the arguments are at fault; StartupError, KeyError or StoreError with what to do
   */
  readonly run: (args: readonly string[], env: Environment) => string | Promise<string>;
}

/** The arguments of a command are at fault. The usage is shown with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The options of a command, each of which takes a value.
 * @throws UsageError for any other argument
 */
export function optionsOf<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): { readonly [option in Name]?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    const { values } = parseArgs({ args: [...args], options });
    return values as { [option in Name]?: string };
  } catch {
    throw new UsageError('an option is unknown, or lacks its value');
  }
}

/** Runs `work` on the store that the environment names, and closes it. */
export async function withStore<T>(env: Environment, work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, storeQueueLimit } = loadNodeConfig(env);
  const store = await openStore({ databaseUrl, queueLimit: storeQueueLimit });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
