import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { EMPTY_ROOT } from '@cer/tlog/merkle';
import { ensurePython } from '../../../scripts/python.mjs';
import { goPrograms, type Had } from './go-programs.js';

/** A witness that others wrote, as its operators run it. */
export interface PublicWitness {
  readonly name: string;
  readonly vkey: string;
  readonly url: string;
  /** Has it cosign a log. */
  readonly follow: (vkey: string) => void;
  /** Starts it, once it knows its logs. */
  readonly serve: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The folder with litewitness of filippo.io/torchwood and an agent of SSH that has its key. */
export function litewitnessPrograms(into: string): Had<string> {
  const module = join(__dirname, '../../go/witness');
  return goPrograms({ module, packages: ['.', 'filippo.io/torchwood/cmd/litewitness'], since: '1.24', into });
}

export async function litewitness(programs: Had<string>, folder: string): Promise<Had<PublicWitness>> {
  if ('missing' in programs) return programs;
  const name = 'litewitness.example/1';
  const [socket, db, listen] = [join(folder, 'agent'), join(folder, 'litewitness.sqlite'), await freeAddress()];
  const agent = spawn(join(programs.had, 'independent-witness'), [socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const key = await said(agent.stdout, /^(SHA256:\S+)\n/);
  const args = Object.entries({ name, 'ssh-agent': socket, db, key, listen }).map(
    ([flag, value]) => `-${flag}=${value}`,
  );
  const child = spawn(join(programs.had, 'litewitness'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const vkey = await said(child.stderr, /vkey=(\S+)[^]*msg=listening/);
  const follow = (log: string): void => {
    // As `witnessctl add-log` and `add-key`: that command needs a module that is not available everywhere.
    const database = new Database(db, { timeout: 10_000 });
    const origin = log.slice(0, log.indexOf('+'));
    const add = database.prepare('insert into log (origin, tree_size, tree_hash) values (?, 0, ?)');
    add.run(origin, Buffer.from(EMPTY_ROOT).toString('base64'));
    database.prepare('insert into key (origin, key) values (?, ?)').run(origin, log);
    database.close();
  };
  const stop = async (): Promise<void> => {
    await ended(child);
    await ended(agent);
  };
  return { had: { name, vkey, url: `http://${listen}`, follow, serve: async () => undefined, stop } };
}

/** The folder with the programs of aics-tlog and aics-witness, from PyPI. */
export function aicsPrograms(): Had<string> {
  const found = ensurePython({ list: 'logs.txt', minor: 12, log: () => undefined });
  return found.python === undefined ? { missing: found.reason } : { had: dirname(found.python) };
}

export async function aicsWitness(programs: Had<string>, folder: string): Promise<Had<PublicWitness>> {
  if ('missing' in programs) return programs;
  const [python, config, listen] = [join(programs.had, 'python'), join(folder, 'aics.json'), await freeAddress()];
  const args = (command: string, ...more: readonly string[]): string[] => {
    return ['-m', 'aics_witness', command, '--config', config, ...more];
  };
  const run = (...words: Parameters<typeof args>): string =>
    execFileSync(python, args(...words), { encoding: 'utf8', stdio: 'pipe' }).trim();
  const name = 'aics.example/1';
  const vkey = run('init', '--name', name);
  const children: ChildProcess[] = [];
  return {
    had: {
      name,
      vkey,
      url: `http://${listen}`,
      follow: (log) => {
        run('add-log', '--origin', log.slice(0, log.indexOf('+')), '--vkey', log);
      },
      serve: async () => {
        const child = spawn(python, args('serve', '--listen', listen), { stdio: ['ignore', 'ignore', 'pipe'] });
        children.push(child);
        await said(child.stderr, /(listening) on/);
      },
      stop: async () => {
        for (const child of children) await ended(child);
      },
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function said(stream: Readable, pattern: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const found = pattern.exec(text)?.[1];
    if (found === undefined) continue;
    // Output that is not read fills the pipe, and the program then waits when it writes.
    stream.resume();
    return found;
  }
  throw new Error(`a program ended before it was ready: ${text}`);
}

/**
 * An address that was just free: its witness listens there seconds later. Its port is below the ephemeral ones of the
 * system (from 32768), so that no connection of another test takes it until then.
 */
async function freeAddress(): Promise<string> {
  for (;;) {
    const port = 31_000 + randomInt(1_500);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => {
        resolve(false);
      });
      server.listen(port, '127.0.0.1', () => {
        resolve(true);
      });
    });
    if (!isFree) continue;
    await promisify(server.close.bind(server))();
    return `127.0.0.1:${String(port)}`;
  }
}
