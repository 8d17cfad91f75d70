import { oneAtATime, type OneAtATime } from '@cer/http-service';
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CdpError, openCdpPipe, type CdpPipe } from './cdp-pipe.js';
import { CHROMIUM_FLAGS, LIBRARY_TUNABLES } from './flags.js';
import { SEARCH_PATH, type Jail } from './jail.js';
import { killNow, processGroup } from './processes.js';
import type { BrowserBinary } from './resolve.js';
import type { Stage } from './stage.js';

/** One started Chromium. */
export interface Browser {
  /** Of the browser process, which leads its process group. */
  readonly pid: number;
  /** E.g. `156.0.8078.79`. */
  readonly version: string;
  readonly cdp: CdpPipe;
  /** Runs one after another what identifies a new process as the one that was not there before. */
  readonly inTurn: OneAtATime;
  isRunning(): boolean;
  /** Settles when the browser has ended with all of its processes, for any reason. */
  readonly ended: Promise<void>;
  /**
   * Calls `listener` when it has ended, which a callback of `ended` would keep in memory until then.
   * @returns stops that
   */
  onEnd(listener: () => void): () => void;
  /** Kills the whole process group and waits until it has ended. */
  kill(): Promise<void>;
}

/** Chromium did not start; the message has the end of its output. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
}

export interface LaunchOptions {
  readonly binary: BrowserBinary;
  readonly jail: Jail;
  readonly stage: Stage;
}

const START_TIMEOUT_MS = 20_000;
const STDERR_TAIL_CHARACTERS = 2000;
/** Maximum wait for a killed process, in ms; usually it ends within milliseconds. */
const GONE_WITHIN_MS = 5000;
const GONE_CHECK_MS = 10;

/**
 * Starts Chromium in its jail, controlled over a pipe. Its environment is set here and not inherited, so that no secret of
 * the service reaches the process that runs untrusted code.
 * @throws LaunchError
 */
export async function launchBrowser({ binary, jail, stage }: LaunchOptions): Promise<Browser> {
  const home = stage.makeHome();
  const [program, ...args] = [
    ...jail.prefix,
    binary.path,
    ...CHROMIUM_FLAGS,
    ...jail.flags,
    `--user-data-dir=${home}/profile`,
  ];
  const child = spawn(program, args, {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      PATH: SEARCH_PATH,
      HOME: home,
      TMPDIR: home,
      LANG: 'en_US.UTF-8',
      TZ: 'UTC',
      GLIBC_TUNABLES: LIBRARY_TUNABLES,
      FONTCONFIG_FILE: stage.fonts.configFile,
      ...(binary.libraryFolder !== undefined && { LD_LIBRARY_PATH: binary.libraryFolder }),
    },
  });
  const stderrTail = keepTail(child);
  const { pid } = child;
  const ended = endOf(child).then(async () => {
    if (pid !== undefined) await groupGone(pid);
    stage.removeHome(home);
  });
  const endListeners = new Set<() => void>();
  void ended.then(() => {
    for (const listener of endListeners) listener();
  });
  if (pid === undefined) {
    await ended;
    throw new LaunchError(`${program} cannot be started`);
  }
  const kill = async (): Promise<void> => {
    killGroup(pid);
    await Promise.race([ended, sleep(2 * GONE_WITHIN_MS, undefined, { ref: false })]);
  };
  // A browser that can be driven no longer does not end by itself, and another one takes its place.
  const cdp = openCdpPipe(child.stdio[3] as Writable, child.stdio[4] as Readable, () => {
    killGroup(pid);
  });
  try {
    const { product } = await cdp.call('Browser.getVersion', {}, { timeoutMs: START_TIMEOUT_MS });
    const version = String(product).replace(/^[^/]*\//, '');
    return {
      pid,
      version,
      cdp,
      inTurn: oneAtATime(),
      isRunning: () => !cdp.isClosed() && child.exitCode === null && child.signalCode === null,
      ended,
      onEnd(listener) {
        endListeners.add(listener);
        return () => {
          endListeners.delete(listener);
        };
      },
      kill,
    };
  } catch (error) {
    await kill();
    if (!(error instanceof CdpError)) throw error;
    const end = error.reason === 'silent' ? 'did not answer' : `${endingOf(child)} before it answered`;
    const tail = (await stderrTail()).trim().slice(-500);
    const output = tail === '' ? 'It wrote nothing: check that the path names a Chromium' : `It wrote: ${tail}`;
    throw new LaunchError(`Chromium did not start (${error.reason}): ${binary.path} ${end}. ${output}`, {
      cause: error,
    });
  }
}

/** What became of a process. */
function endingOf({ exitCode, signalCode }: ChildProcess): string {
  if (exitCode !== null) return `ended with code ${exitCode}`;
  return signalCode === null ? 'closed its pipe' : `was ended by ${signalCode}`;
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      resolve();
    });
  });
}

/** The zygotes and their children share the browser's group; processes that a sandbox moved elsewhere end with their zygote. */
function killGroup(pid: number): void {
  const members = processGroup(pid);
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    for (const member of members) killNow(member.pid);
  }
}

/** The browser process may end before its children, which write to its home and whose end is not reported. */
async function groupGone(pid: number): Promise<void> {
  const until = performance.now() + GONE_WITHIN_MS;
  while (processGroup(pid).length > 0 && performance.now() < until) await sleep(GONE_CHECK_MS);
}

/** The end of what a process writes, to be read once it has ended. */
function keepTail(child: ChildProcess): () => Promise<string> {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL_CHARACTERS);
  });
  // Its last words may arrive after its end.
  const closed = new Promise((resolve) => child.stderr?.once('close', resolve));
  return async () => {
    await Promise.race([closed, sleep(GONE_WITHIN_MS, undefined, { ref: false })]);
    return tail;
  };
}
