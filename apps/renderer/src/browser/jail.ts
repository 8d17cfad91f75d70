import { spawnSync } from 'node:child_process';

/**
 * How the browser is confined. `root`: a root service starts it as an unprivileged user in a new network namespace.
 * `user-namespace`: the same without root. `none`: development only.
 */
export type JailKind = 'root' | 'user-namespace' | 'none';

export interface Jail {
  readonly kind: JailKind;
  /** User id of the browser; also owns its home folder. */
  readonly uid: number;
  /** Program and arguments that come before the browser's own. */
  readonly prefix: readonly string[];
  /** Flags the browser needs to start in this jail. */
  readonly flags: readonly string[];
}

/** The machine cannot confine a browser. */
export class JailUnavailable extends Error {
  override readonly name = 'JailUnavailable';
}

export interface JailOptions {
  /** User id of the browser where the service is root. */
  readonly uid: number;
  /** Development only: run the browser even where it cannot be confined. */
  readonly allowUnsandboxed: boolean;
}

/**
 * Chooses the strongest jail the machine offers. Chromium's own sandbox stays on in both real ones.
 * @throws JailUnavailable where neither works and unsandboxed runs are not allowed
 */
export function chooseJail({ uid, allowUnsandboxed }: JailOptions): Jail {
  const own = process.getuid?.() ?? -1;
  const candidate = own === 0 ? rootJail(uid) : userNamespaceJail(own);
  const [program = '', ...args] = candidate.prefix;
  const trial = spawnSync(program, [...args, 'true'], { env: { PATH: SEARCH_PATH }, timeout: 5000 });
  if (trial.status === 0) return candidate;
  if (allowUnsandboxed) {
    return { kind: 'none', uid: own, prefix: [], flags: own === 0 ? ['--no-sandbox'] : [] };
  }
  throw new JailUnavailable(
    `no jail: "${candidate.prefix.slice(0, 4).join(' ')}" failed. The service needs util-linux and either root with CAP_SYS_ADMIN ` +
      'or user namespaces; in Docker see infra/docker. ALLOW_UNSANDBOXED=1 is for development only',
  );
}

/** Programs of the jail and of the browser are looked up here, whatever PATH the service has. */
export const SEARCH_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

function rootJail(uid: number): Jail {
  const drop = ['--no-new-privs', '--inh-caps=-all', '--clear-groups', `--reuid=${uid}`, `--regid=${uid}`];
  return { kind: 'root', uid, prefix: ['unshare', '--net', '--ipc', '--', 'setpriv', ...drop, '--'], flags: [] };
}

function userNamespaceJail(uid: number): Jail {
  return {
    kind: 'user-namespace',
    uid,
    prefix: ['unshare', '--user', '--map-current-user', '--net', '--ipc', '--'],
    flags: [],
  };
}
