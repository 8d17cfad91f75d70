import { spawnSync } from 'node:child_process';

/** Keeps the process of a sketch off the network: a program and arguments before Node's own, or Node's permissions. */
export interface NetworkWall {
  readonly kind: 'namespace' | 'permissions' | 'none';
  readonly prefix: readonly string[];
}

/** Programs are looked up here, whatever PATH the caller has. */
export const SEARCH_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Node's flags take files, child processes and native addons from the process: none are allowed to it. */
export function permissionFlags(): readonly string[] {
  const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
  return [flag, '--allow-worker', '--no-warnings', '--disallow-code-generation-from-strings', '--no-addons'];
}

/**
 * The confinement that this machine offers: an empty network namespace of Linux, or the network permission of Node.js
 * 25.
 */
export function networkWall(): NetworkWall {
  for (const user of [['--user', '--map-current-user'], []]) {
    const [program, ...args] = ['unshare', ...user, '--net', '--'] as const;
    const trial = spawnSync(program, [...args, 'true'], { env: { PATH: SEARCH_PATH }, timeout: 5000 });
    if (trial.status === 0) return { kind: 'namespace', prefix: [program, ...args] };
  }
  const deniesNetwork = process.allowedNodeEnvironmentFlags.has('--allow-net');
  return { kind: deniesNetwork ? 'permissions' : 'none', prefix: [] };
}
