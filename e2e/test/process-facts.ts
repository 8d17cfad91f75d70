import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SHORTEST_SECRET = 16;
/** Every program of this system runs for longer; each look reads files of every thread of every process. */
const LOOK_EVERY_MS = 20;

/** The facts of a process that every user of the machine, or another program of the same user, can read. */
interface Shown {
  readonly command: string;
  readonly environment: string;
}

/** Notes command lines and environments of a process and all that it starts, until it is stopped. */
export class ProcessWatch {
  /** By process id and command line: between its start and its program, a process shows those of its parent. */
  readonly #shown = new Map<string, Shown>();
  #isOver = false;
  readonly #done: Promise<void>;

  /** @param pid the process itself is noted too, but for its environment, which the test sets */
  constructor(pid: number) {
    this.#done = this.#watch(pid);
  }

  async #watch(pid: number): Promise<void> {
    while (!this.#isOver) {
      this.#note(pid, pid);
      await sleep(LOOK_EVERY_MS);
    }
  }

  #note(pid: number, root: number): void {
    const command = textOf(pid, 'cmdline');
    const key = `${pid} ${command}`;
    const environment = pid === root ? '' : textOf(pid, 'environ');
    if (command !== '') this.#shown.set(key, { command, environment });
    for (const child of childrenOf(pid)) this.#note(child, root);
  }

  /** Stops. @returns what each process showed last, by command line */
  async stop(): Promise<readonly Shown[]> {
    this.#isOver = true;
    await this.#done;
    return [...this.#shown.values()];
  }
}

function textOf(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', '\n');
  } catch {
    // It ended after it was listed.
    return '';
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Files of a data folder without secrets: databases, logs, and what is published. */
const PUBLIC = /\.sqlite|\.log$|^(log-policy\.txt|vkey|services\.json)$/;
/** Members of key files that are published. */
const PUBLISHED = new Set(['nodeId', 'kid', 'x', 'y', 'crv', 'alg', 'kty', 'createdAt', 'publicKey', 'email']);

/** The secrets in the files of a data folder, by file and member. */
export function secretsIn(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!statSync(path).isFile() || PUBLIC.test(basename(name))) continue;
    const text = readFileSync(path, 'utf8').trim();
    if (text.startsWith('{') || text.startsWith('[')) collect(name, JSON.parse(text), found);
    else found.set(name, text);
  }
  return found;
}

function collect(name: string, value: unknown, into: Map<string, string>): void {
  if (typeof value === 'string' && value.length >= SHORTEST_SECRET) into.set(name, value.trim());
  if (typeof value !== 'object' || value === null) return;
  for (const [member, inner] of Object.entries(value)) {
    if (!PUBLISHED.has(member)) collect(`${name} ${member}`, inner, into);
  }
}

/** @returns secret and command line wherever a process shows one */
export function leaks(shown: readonly Shown[], secrets: ReadonlyMap<string, string>): readonly string[] {
  return shown.flatMap(({ command, environment }) =>
    [...secrets]
      .filter(([, secret]) => command.includes(secret) || environment.includes(secret))
      .map(
        ([name]) => `${name}: ${command.includes(secrets.get(name) ?? '') ? 'in arguments' : command.slice(0, 200)}`,
      ),
  );
}
