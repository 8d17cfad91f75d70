import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The services in start order. Services reach each other at `urls`, browsers at `pages`. A row holds the name, which is also the folder under `apps/`, and the environment, in which
 * secrets are named by file: other processes of the user can read it. A new service is a new row.
 * @typedef {{urls: Record<string, string>, pages: Record<string, string>, ports: Record<string, number>, path: (...names: string[]) => string,
 *   logVkeys: readonly string[], runs: (name: string) => boolean}} Setting
 */
const SERVICES = [
  {
    name: 'witness',
    title: 'witness (your own)',
    args: ['serve'],
    env: ({ ports, path, logVkeys }) => ({
      PORT: String(ports.witness),
      DATABASE_FILE: path('witness', 'witness.sqlite'),
      LOG_VKEYS: logVkeys.join(' '),
    }),
  },
  {
    name: 'node',
    title: 'attestation node',
    /** @param {Setting} setting */
    env: ({ ports, urls, path, runs }) => ({
      ...nodeFiles(path),
      ...(runs('witness') && {
        ...nodeLog({ urls, path }),
        LOG_POLICY_FILE: path('log-policy.txt'),
        LOG_WITNESS_EVERY_S: '1',
        LOG_EPOCH_S: '10',
      }),
      PORT: String(ports.node),
      VERIFY_URL: urls.verifier,
      ADMIN_SECRET_FILE: path('admin-secret'),
      LOG_LEVEL: 'info',
      ...(runs('renderer') && { RENDERER_URL: urls.renderer, RENDERER_TOKEN_FILE: path('renderer-token') }),
      ...(runs('dashboard') && {
        CONTROL_PLANE_URL: urls.dashboard,
        CONTROL_PLANE_TOKEN_FILE: path('control-plane-token'),
      }),
    }),
  },
  {
    name: 'renderer',
    title: 'renderer',
    needsBrowser: true,
    env: ({ ports, path }) => ({ PORT: String(ports.renderer), RENDERER_TOKEN_FILE: path('renderer-token') }),
  },
  {
    name: 'verifier',
    title: 'public verifier',
    env: ({ ports, urls, path, runs }) => ({
      PORT: String(ports.verifier),
      NODE_URL: urls.node,
      PUBLIC_URL: urls.verifier,
      ...(runs('witness') && { LOG_POLICY_FILE: path('log-policy.txt') }),
    }),
  },
  {
    name: 'bridge',
    title: 'evidence bridge',
    env: ({ ports, urls, pages, path }) => ({
      PORT: String(ports.bridge),
      DATABASE_URL: `sqlite:${path('bridge', 'bridge.sqlite')}`,
      PUBLIC_URL: pages.bridge,
      NODE_URL: urls.node,
      VERIFY_URL: urls.verifier,
      CONTROL_PLANE_URL: urls.dashboard,
      PUBLIC_CONTROL_PLANE_URL: pages.dashboard,
      CONTROL_PLANE_TOKEN_FILE: path('control-plane-token'),
    }),
  },
  {
    name: 'dashboard',
    title: 'dashboard',
    env: ({ ports, urls, pages, path, runs }) => ({
      ...dashboardFiles(path),
      PORT: String(ports.dashboard),
      PUBLIC_URL: pages.dashboard,
      NODE_URL: urls.node,
      ...(runs('bridge') && { BRIDGE_URL: pages.bridge }),
    }),
  },
];

/** The node's files, which its commands need too. */
export function nodeFiles(path) {
  return {
    DATABASE_URL: `sqlite:${path('node', 'node.sqlite')}`,
    KEYS_FILE: path('node', 'keys.json'),
    COMMITMENT_SECRET_FILE: path('node', 'commitment-secrets.json'),
  };
}

/** The name of the log: where it was first served, without scheme. It stays when a later start has other ports. */
export function nodeLog({ urls, path }) {
  const policy = path('log-policy.txt');
  const [, kept] = (existsSync(policy) && /^log (\S+?)\+/.exec(readFileSync(policy, 'utf8'))) || [];
  return { LOG_ORIGIN: kept ?? `${new URL(urls.node).host}/log` };
}

/** The files of the dashboard, which its commands need too. */
export function dashboardFiles(path) {
  return {
    DATABASE_URL: `sqlite:${path('dashboard', 'dashboard.sqlite')}`,
    SERVICE_TOKEN_FILE: path('control-plane-token'),
    JWKS_KEYS_FILE: path('dashboard', 'signing-keys.json'),
    SECRETS_KEY_FILE: path('dashboard', 'secrets-key'),
  };
}

/** Services that are built. */
export function servicesIn(root) {
  return SERVICES.filter(({ name }) => existsSync(join(root, 'apps', name, 'package.json')));
}
