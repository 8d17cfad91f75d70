// A process of the system under torture, which is killed and started again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 180_000;

export class Member {
  #child = null;
  #last = '';
  #expected = false;
  kills = 0;

  /** @param {{name: string, main: string, args?: string[], env: () => object, readyUrl?: string}} facts */
  constructor(facts) {
    this.facts = facts;
  }

  get name() {
    return this.facts.name;
  }

  /** @param {{more?: object, isAble?: boolean}} options not able: it cannot become ready, and only has to run */
  async start({ more = {}, isAble = true } = {}) {
    const { main, args = [], env } = this.facts;
    const child = spawn(process.execPath, [main, ...args], {
      env: { PATH: process.env.PATH, ...env(), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#expected = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#last = (this.#last + text).slice(-4_000);
      });
    }
    child.once('exit', (code, signal) => {
      if (!this.#expected) this.failure = `${this.name} ended by itself: ${code ?? signal}\n${this.#last}`;
    });
    if (isAble) await this.ready();
  }

  /** Waits until the member answers; one that has no address is ready once it runs. */
  async ready() {
    if (this.facts.readyUrl === undefined) return;
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
      if (this.failure !== undefined) throw new Error(this.failure);
      try {
        if ((await fetch(this.facts.readyUrl, { signal: AbortSignal.timeout(5_000) })).ok) return;
      } catch {
        // Not yet: the loop says so at its end.
      }
    }
    throw new Error(`${this.name} was not ready within ${READY_WITHIN_MS / 1000} s\n${this.#last}`);
  }

  async kill(signal = 'SIGKILL') {
    if (this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#expected = true;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
    if (signal === 'SIGKILL') this.kills += 1;
  }
}
