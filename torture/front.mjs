// The components around the services of a company: pgbouncer in transaction mode, and haproxy in front.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the programs that are missing on this machine */
export function missingPrograms() {
  return [
    ['pgbouncer', '--version'],
    ['haproxy', '-v'],
  ].flatMap(([program, flag]) => (spawnSync(program, [flag]).error === undefined ? [] : [program]));
}

/** pgbouncer for every database of a server. @returns {{urlOf: (databaseUrl: string) => string, stop: () => Promise<void>}} */
export function startPgbouncer(folder, serverUrl, port) {
  const { port: serverPort, username, password } = new URL(serverUrl);
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'auth_type = any', 'pool_mode = transaction'],
    ...['default_pool_size = 20', 'max_client_conn = 500', 'server_login_retry = 1', 'unix_socket_dir ='],
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  // It refuses to run as root, so it reads its file as the user `nobody`.
  const isRoot = process.getuid() === 0;
  if (isRoot) chmodSync(folder, 0o755);
  const child = start('pgbouncer', isRoot ? ['-u', 'nobody', file] : [file]);
  return {
    urlOf: (databaseUrl) => Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    stop: () => stop(child),
  };
}

/**
 * haproxy with a frontend per service, as in infra/compose: a server that is not ready gets no requests, and only a
 * request that no server has received is sent to another one.
 * @param {readonly {name: string, port: number, ports: readonly number[]}[]} services
 */
export function startHaproxy(folder, services) {
  const file = join(folder, 'haproxy.cfg');
  const lines = [
    ...['global', '  maxconn 4096', 'defaults', '  mode http', '  timeout connect 5s'],
    ...['  timeout client 1m', '  timeout server 1m', '  retries 2', '  option redispatch', '  retry-on conn-failure'],
    ...['  default-server check inter 500 fall 1 rise 1', '  option httpchk GET /ready'],
    ...services.flatMap(({ name, port, ports }) => [
      ...[`frontend ${name}`, `  bind 127.0.0.1:${port}`, `  default_backend ${name}`],
      ...[`backend ${name}`, '  balance leastconn'],
      ...ports.map((each, index) => `  server ${name}${index} 127.0.0.1:${each}`),
    ]),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = start('haproxy', ['-f', file]);
  return { stop: () => stop(child) };
}

function start(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-2_000);
  });
  child.once('exit', (code) => {
    if (!child.killed) console.error(`${program} ended by itself with ${code}: ${said}`);
  });
  return child;
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
