import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const KEPT_LINES = 20;
const READY_WITHIN_MS = 60_000;
const STOPS_WITHIN_MS = 15_000;

/** A service that exited on its own, with its last output. */
export class ServiceEnded extends Error {
  constructor(name, code, lines) {
    super(`${name} ended with ${code === null ? 'a signal' : `exit code ${code}`}`);
    this.name = 'ServiceEnded';
    this.lines = lines;
  }
}

/** A service that runs but does not report ready. */
export class NotReady extends Error {
  constructor(name, reason, lines) {
    super(`${name} was not ready within ${READY_WITHIN_MS / 1000} s${reason === null ? '' : `: ${reason}`}`);
    this.name = 'NotReady';
    this.reason = reason;
    this.lines = lines;
  }
}

/**
 * Starts a service in this process group, so that Ctrl-C reaches it too. Its output goes to a file; the last lines are
 * kept. The IPC channel closes when this process ends, even by SIGKILL: the service then closes by itself.
 * @param {{name: string, args: string[], cwd: string, env: Record<string, string>, logs: string}} options
 */
export function startChild({ name, args, cwd, env, logs }) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const file = join(logs, `${name}.log`);
  let written = Promise.resolve();
  let isCut = false;
  // A full disk loses lines of the log, never the services, and later lines are written once there is space.
  const append = async (text) => {
    try {
      // What was cut before is not part of the next line.
      await appendFile(file, isCut ? `\n${text}` : text, { mode: 0o600 });
      if (isCut) console.error(`The log ${file} is written again; the lines between are missing.`);
      isCut = false;
    } catch (error) {
      if (!isCut) console.error(`The log ${file} cannot be written (${error.code}); ${name} runs on without it.`);
      isCut = true;
    }
  };
  let tail = '';
  const keep = (chunk) => {
    written = written.then(() => append(chunk));
    tail = `${tail}${chunk}`.slice(-20_000);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const lastLines = () => tail.trimEnd().split('\n').slice(-KEPT_LINES);
  // Ends the service with this process, however it exits; an uncaught error included.
  const stopWithThisProcess = () => child.kill('SIGTERM');
  process.once('exit', stopWithThisProcess);
  const ended = new Promise((resolve) => {
    child.on('close', (code) => {
      process.off('exit', stopWithThisProcess);
      written.then(() => resolve(new ServiceEnded(name, code, lastLines())));
    });
  });
  return { name, child, ended, lastLines };
}

/**
 * Waits until a service reports ready.
 * @throws {ServiceEnded} when it exits instead
 * @throws {NotReady} when it does not become ready, or reports `ready: false` for good
 */
export async function untilReady({ name, ended, lastLines }, url) {
  let end = null;
  let reason = null;
  ended.then((reason) => (end = reason));
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
    if (end !== null) throw end;
    try {
      const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2000) });
      const said = await answer.text();
      if (answer.ok) return;
      const body = jsonIn(said);
      reason = body.reason ?? body.reasons?.join('; ') ?? `/ready answers ${answer.status}`;
      if (body.ready === false) break;
    } catch (error) {
      if (error.name !== 'TimeoutError' && error.message !== 'fetch failed') throw error;
    }
  }
  throw new NotReady(name, reason, lastLines());
}

function jsonIn(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Asks every service to finish its accepted requests, and kills those that do not exit. */
export async function stopAll(children, signal) {
  const running = children.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  for (const { child } of running) child.kill(signal);
  const all = Promise.all(running.map(({ ended }) => ended));
  const timer = setTimeout(() => {
    for (const { child } of running) child.kill('SIGKILL');
  }, STOPS_WITHIN_MS);
  await all;
  clearTimeout(timer);
}
