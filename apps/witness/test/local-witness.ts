import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics, serve, silentLogger } from '@cer/http-service/process';
import { formatAddCheckpoint, type NoteKey } from '@cer/tlog/note';
import { createApp } from '../src/app.js';
import { advanceQuota } from '../src/checkpoints/advance-quota.js';
import { logOfVkey, logsByOrigin } from '../src/logs/known-logs.js';
import { initWitness, openWitness } from '../src/store/open-store.js';

/** A folder for the files of one test; `remove` when it ends. */
export function temporaryFolder(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'cer-witness-'));
  return {
    path: (name) => join(folder, name),
    remove: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

export interface LocalWitness {
  readonly url: string;
  readonly key: NoteKey;
  readonly close: () => Promise<void>;
}

export const START = new Date('2026-03-01T00:00:00.000Z');

/** Makes a witness in the database. */
export function makeWitness(database: string): Promise<NoteKey> {
  return initWitness(database, 'witness.example/w1', START);
}

/** Serves a witness on a free port. */
export async function serveWitness(
  database: string,
  vkeys: readonly string[],
  now: () => Date = () => START,
  requestsPerDay: number | null = null,
): Promise<LocalWitness> {
  const { store, key, signer } = await openWitness(database);
  const logs = logsByOrigin(vkeys.map((vkey) => ({ ...logOfVkey(vkey, 'log'), requestsPerDay })));
  for (const origin of logs.keys()) await store.know(origin);
  const quota = advanceQuota(now);
  const deps = { store, logs, key, signer, quota, now, logger: silentLogger(), metrics: createMetrics() };
  const close = (): Promise<void> => store.close();
  const server = await serve(createApp(deps), { host: '127.0.0.1', port: 0, logger: silentLogger(), onClose: close });
  return { url: server.url, key, close: () => server.close() };
}

/** The answer of a witness. */
export interface Answered {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** Submits a checkpoint with its proof. */
export function submit(
  url: string,
  checkpoint: string,
  oldSize = 0,
  path: readonly Uint8Array[] = [],
): Promise<Answered> {
  return post(url, formatAddCheckpoint({ oldSize, path, checkpoint }));
}

export async function post(url: string, body: string | Uint8Array<ArrayBuffer>): Promise<Answered> {
  return answered(await fetch(`${url}/add-checkpoint`, { method: 'POST', body }));
}

export async function get(url: string, path: string): Promise<Answered> {
  return answered(await fetch(`${url}${path}`));
}

async function answered(response: Response): Promise<Answered> {
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}
