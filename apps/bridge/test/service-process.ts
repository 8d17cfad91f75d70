import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchArguments, mainOf } from '../../../scripts/services/launch.mjs';

const ROOT = join(__dirname, '../../..');
const START_MS = 120_000;

/** A service in a separate process. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** Its output so far. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

/** Starts `apps/<name>` as `npm start` does, and waits until it listens. */
export async function startService(name: string, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, launchArguments(ROOT, name), {
    env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`${name} does not listen: ${output}`));
    }, START_MS);
    const read = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
      const found = /"url":"(http:[^"]+)"/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`${name} ended with ${code ?? 'a signal'}: ${output}`));
    });
  });
  return { url, pid: child.pid ?? 0, output: () => output, stop: () => stopped(child) };
}

function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    child.kill('SIGTERM');
    // A connection that a test left open would keep it running.
    setTimeout(() => child.kill('SIGKILL'), 3000).unref();
  });
}

export interface NodeProcess extends ServiceProcess {
  /** Removes its folder, which `stop` keeps. */
  readonly remove: () => void;
}

/** A real attestation node whose API keys come from a control plane. */
export async function startNodeProcess(controlPlaneUrl: string, serviceToken: string): Promise<NodeProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-bridge-node-'));
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, serviceToken, { mode: 0o600 });
  const env = {
    DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'secrets.json'),
    VERIFY_URL: 'https://verify.example',
    CONTROL_PLANE_URL: controlPlaneUrl,
    CONTROL_PLANE_TOKEN_FILE: tokenFile,
  };
  execFileSync(process.execPath, [mainOf(ROOT, 'node'), 'init'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const service = await startService('node', env);
  return {
    ...service,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
