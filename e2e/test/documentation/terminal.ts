import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS, root } from '../npm-start.js';

/** Result of a block. */
export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** State of the reader's terminal before the first block. */
export interface Setting {
  /** Texts of the document to replace on this machine: ports, folders, placeholders. */
  readonly substitutions?: readonly (readonly [from: string, to: string])[];
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input of blocks that read some. */
  readonly input?: string;
}

/** Commands that serve until they are stopped. */
const SERVES = /^(node-cli|node apps\/node\/dist\/main\.js)$/gm;
/** The result that a comment promises: the first word printed, or the exit code. */
const PROMISE = /^(?<command>[^#\n]*?)\s+# (?<word>VERIFIED|FAILED)(?:.*?exit code (?<code>\d))?.*$/gm;

/**
 * A terminal in a folder that looks like a checkout. Variables, aliases, functions and the working directory last from
 * one block to the next, as they do for a reader.
 */
export class Terminal {
  readonly folder: string;
  readonly #setting: Setting;
  readonly #state: string;
  readonly #pids: string;

  constructor(folder: string, setting: Setting = {}) {
    this.folder = folder;
    this.#setting = setting;
    this.#state = join(folder, '.terminal-state');
    this.#pids = join(folder, '.terminal-pids');
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(root)) {
      if (!name.startsWith('.') && !existsSync(join(folder, name))) symlinkSync(join(root, name), join(folder, name));
    }
    writeFileSync(this.#state, `cd ${JSON.stringify(folder)}\n`);
  }

  /** Runs a block of shell; stops at the first command that fails. */
  run(text: string, more: Pick<Setting, 'substitutions'> = {}): Ran {
    const script = join(this.folder, '.terminal-script');
    writeFileSync(
      script,
      [
        'shopt -s expand_aliases',
        `. "${this.#state}"`,
        'set -aeu -o pipefail',
        checked(substituted(text, [...(this.#setting.substitutions ?? []), ...(more.substitutions ?? [])])).replaceAll(
          SERVES,
          (command) => `${command} > served.log 2>&1 & echo $! >> "${this.#pids}"`,
        ),
        `set +aeu; { export -p; alias -p; declare -f; printf 'cd %q\\n' "$PWD"; } > "${this.#state}"`,
      ].join('\n'),
    );
    const { status, stdout, stderr } = spawnSync('bash', [script], {
      env: { ...process.env, ...this.#setting.env },
      encoding: 'utf8',
      input: this.#setting.input ?? '',
      cwd: this.folder,
    });
    return { status, stdout, stderr };
  }

  /** Waits until a service that a block started is ready. */
  async ready(url: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await fetch(`${url}/ready`).catch(() => undefined);
      if (answer?.ok === true) return;
      if (Date.now() > deadline) throw new Error(`${url} is not ready`);
      await sleep(100);
    }
  }

  /** Stops the services that blocks started, and waits for their end. */
  async stopServices(): Promise<void> {
    if (!existsSync(this.#pids)) return;
    for (const pid of readFileSync(this.#pids, 'utf8').trim().split('\n').map(Number)) {
      process.kill(pid, 'SIGTERM');
      while (isRunning(pid)) await sleep(50);
    }
    rmSync(this.#pids);
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** A block as it runs here. */
function substituted(text: string, substitutions: readonly (readonly [string, string])[]): string {
  return substitutions.reduce((result, [from, to]) => result.replaceAll(from, to), text);
}

/** Replaces promised results in comments by commands that fail unless the result is this one. */
function checked(text: string): string {
  return text.replaceAll(PROMISE, (_line, command: string, word: string, code = '0') =>
    [
      `set +e; __printed=$(${command}); __code=$?; set -e`,
      'echo "$__printed"',
      `[ "$__code" = ${code} ] && [ "\${__printed:0:${word.length}}" = ${word} ]`,
    ].join('\n'),
  );
}

function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
