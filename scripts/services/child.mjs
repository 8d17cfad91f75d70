import { spawn } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const KEPT_LINES = 20;
/** Lines about the requests of `untilReady`, which would push every other line out of the last ones. */
const ANSWERS_HERE = /^.*"route":"\/ready".*\n/gm;
const READY_WITHIN_MS = 60_000;
const STOPS_WITHIN_MS = 15_000;

/** A service that does not run as it should: `remedy` in sentences, and its last lines of output. */
export class ServiceFault extends Error {
  constructor(message, { file, lastLines }, advice = []) {
    super(message);
    this.remedy = [...advice, `Its log is ${file}.`];
    this.lines = lastLines();
  }
}

/** A service that exited on its own. */
export class ServiceEnded extends ServiceFault {
  constructor(service, code) {
    super(`${service.name} ended with ${code === null ? 'a signal' : `exit code ${code}`}`, service);
    this.name = 'ServiceEnded';
  }
}

/** A service that runs but does not report ready; `reason` is what it reports, null without an answer. */
class NotReady extends ServiceFault {
  constructor(service, { url, withinMs, reason }) {
    const found = reason === null ? 'does not answer' : `answers: ${reason}`;
    super(`${service.name} was not ready within ${withinMs / 1000} s: ${url} ${found}`, service, [
      reason === null
        ? 'A busy machine needs longer: start again when other programs have ended.'
        : 'Correct this, then start again.',
    ]);
    this.name = 'NotReady';
    this.reason = reason;
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
    tail = `${tail}${chunk}`.replaceAll(ANSWERS_HERE, '').slice(-20_000);
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
      written.then(() => resolve(new ServiceEnded({ name, file, lastLines }, code)));
    });
  });
  return { name, child, ended, file, lastLines };
}

/**
 * Waits until a service reports ready.
 * @throws {ServiceEnded} when it exits instead
 * @throws {NotReady} when it does not become ready, or reports `ready: false` for good
 */
export async function untilReady(service, address, withinMs = READY_WITHIN_MS) {
  const url = `${address}/ready`;
  let end = null;
  let reason = null;
  service.ended.then((fault) => (end = fault));
  for (const deadline = performance.now() + withinMs; performance.now() < deadline; await sleep(100)) {
    if (end !== null) throw end;
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
      const said = await answer.text();
      if (answer.ok) return;
      const body = jsonIn(said);
      reason = body.reason ?? body.reasons?.join('; ') ?? `status ${answer.status}`;
      if (body.ready === false) break;
    } catch {
      // Refused, cut off or too late: asked again.
      reason = null;
    }
  }
  throw new NotReady(service, { url, withinMs, reason });
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
