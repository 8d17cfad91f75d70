import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { blocksOf, type Block } from '../documentation/blocks.js';
import { Terminal } from '../documentation/terminal.js';
import { freeBase, PATIENCE_MS, Start, type Services } from '../npm-start.js';
import { addAuthenticator, signInWithCode, type Owner } from './owner-browser.js';

// The blocks of docs/backup.md, under load: all services of one `npm start` are backed up, killed, and their folder is
// removed. Only backup, witness and what readers keep are left.

const DOCUMENT = 'docs/backup.md';
const folder = mkdtempSync(join(tmpdir(), 'cer-whole-backup-'));
const home = join(folder, 'home');
const data = join(home, '.data');
const loadFile = join(folder, 'load.ndjson');

interface Answered {
  readonly request: { readonly executionId: string };
  readonly answer: string;
}

let base: number;
let started: Start;
let services: Services;
let terminal: Terminal;
let beforeBackup: readonly Answered[];
let gap: readonly Answered[];
let authenticator: string;

/** The blocks under a heading. */
function blocksUnder(heading: string): readonly Block[] {
  const lines = readFileSync(join(home, DOCUMENT), 'utf8').split('\n');
  const start = lines.indexOf(`## ${heading}`);
  const end = lines.findIndex((line, at) => at > start && line.startsWith('## '));
  return blocksOf(DOCUMENT).filter(({ line }) => line > start && line < end);
}

function run({ text }: Pick<Block, 'text'>): string {
  const { status, stdout, stderr } = terminal.run(text);
  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' });
  return stdout;
}

function answered(): readonly Answered[] {
  if (!existsSync(loadFile)) return [];
  const lines = readFileSync(loadFile, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Answered);
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await sleep(100);
}

/** Whether witnesses have seen everything: no leaf waits, and the last epoch covers all of them. */
function isLogAtRest(): boolean {
  const file = new Sqlite(join(data, 'node/node.sqlite'), { readonly: true });
  try {
    const waiting = file.prepare('select count(*) from log_leaves where log_index is null').pluck().get();
    const size = file.prepare('select count(*) from log_leaves where log_index is not null').pluck().get();
    const last = file.prepare('select entry from log_epochs order by epoch desc limit 1').pluck().get();
    const covered = Buffer.isBuffer(last) ? (JSON.parse(last.toString()) as { log: { size: number } }).log.size : 0;
    return waiting === 0 && covered === size;
  } finally {
    file.close();
  }
}

/** An answer without what the log adds as it grows. */
function withoutLogProofs(answer: string): string {
  return JSON.stringify(JSON.parse(answer), (name, value: unknown) => (name === 'logProofs' ? undefined : value));
}

function ownerOfData(): Owner {
  return JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8')) as Owner;
}

async function kill({ child, ended }: Start): Promise<void> {
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await ended;
}

const open = async (): Promise<void> => {
  started = new Start(data, base, { CHROMIUM_PATH: '/bin/false' });
  services = await started.services(data);
};

beforeAll(async () => {
  base = await freeBase();
  terminal = new Terminal(home, {
    env: { XDG_STATE_HOME: join(folder, 'readers') },
    substitutions: [
      ['/backup', join(folder, 'backup')],
      ['127.0.0.1:4100', `127.0.0.1:${base}`],
    ],
  });
  run({ text: 'alias cer="node $PWD/apps/cli/bin/cer.js"' });
  mkdirSync(join(folder, 'backup'));
  await open();
}, PATIENCE_MS);

afterAll(async () => {
  await kill(started);
  rmSync(folder, { recursive: true });
});

describe('the whole system', () => {
  it(
    'is backed up under load',
    async () => {
      copyFileSync(join(data, 'log-policy.txt'), join(home, 'log-policy.txt'));
      authenticator = await addAuthenticator(services.dashboard.url, ownerOfData());
      const load: ChildProcess = spawn(
        process.execPath,
        [join(__dirname, 'certify-load.mjs'), services.node.url, join(data, 'api-key'), loadFile],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      );
      const ended = once(load, 'exit');
      await until(() => answered().length >= 10 || load.exitCode !== null);
      const [backup, elsewhere] = blocksUnder('Make a backup');
      if (backup === undefined || elsewhere === undefined) throw new Error('two blocks make a backup');
      beforeBackup = answered();
      const said = run(backup);
      expect(said).toMatch(/node\.sqlite: schema version \d+; \d+ records/);
      expect(said).toMatch(/dashboard\.sqlite: 1 tenant, 1 user, 1 API key\./);
      const during = answered().length;
      await until(() => answered().length >= during + 10 || load.exitCode !== null);
      load.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(during).toBeGreaterThan(beforeBackup.length);
      await until(isLogAtRest);
      // Before the mirror, which must have what this reader saw: epochs are added meanwhile.
      run({ text: 'cer log monitor $NODE --log-policy log-policy.txt' });
      run(elsewhere);
    },
    PATIENCE_MS,
  );

  it(
    'is destroyed, and restored into an empty folder',
    async () => {
      const owner = readFileSync(join(data, 'owner.json'));
      await kill(started);
      // The witness is another machine.
      renameSync(join(data, 'witness'), join(folder, 'witness'));
      rmSync(data, { recursive: true });
      const said = blocksUnder('Restore').map(run).join('');
      expect(said).toMatch(/log: \d+ to \d+ entries, [1-9]\d* without opening/);
      expect(said).toMatch(/^accepted: what was recorded between /m);
      expect(readFileSync(join(data, 'owner.json'))).toEqual(owner);
      renameSync(join(folder, 'witness'), join(data, 'witness'));
      await open();
    },
    PATIENCE_MS,
  );

  it('replays every certificate from before the backup, byte for byte', async () => {
    expect(beforeBackup.length).toBeGreaterThanOrEqual(10);
    for (const { request, answer } of beforeBackup) {
      const [again, isReplay] = await certify(request);
      expect([isReplay, withoutLogProofs(again)]).toEqual(['true', withoutLogProofs(answer)]);
    }
  });

  it('verifies the earlier certificates and continues both logs', () => {
    const certificates = beforeBackup.map(({ answer }) => answer);
    writeFileSync(join(home, 'all.ndjson'), certificates.join('\n'));
    writeFileSync(join(home, 'certificate.json'), certificates.at(-1) ?? '');
    const said = run({ text: 'cer verify --batch - --keys $NODE < all.ndjson' });
    expect(said).toContain(`${certificates.length} verified`);
    for (const block of blocksUnder('Check')) run(block);
  });

  it('takes the lost certificates back, with their hashes', async () => {
    gap = answered().slice(beforeBackup.length);
    const lost = [];
    for (const { request, answer } of gap) {
      const { cer, certificateHash } = JSON.parse(answer) as { cer: object; certificateHash: string };
      const found = `${services.node.url}/v1/cer/public?certificate_hash=${encodeURIComponent(certificateHash)}`;
      if ((await fetch(found)).status === 404) lost.push(certificateHash);
      expect((await post('/api/attest', cer)).status).toBe(200);
      const [again, isReplay] = await certify(request);
      expect([isReplay, JSON.parse(again)]).toEqual(['true', expect.objectContaining({ certificateHash })]);
    }
    expect(lost.length).toBeGreaterThanOrEqual(10);
  });

  it('lets the owner sign in with the authenticator app', async () => {
    const owner = ownerOfData();
    const { url } = services.dashboard;
    expect(await signInWithCode(url, owner, authenticator)).toBe(200);
    expect(await signInWithCode(url, { ...owner, password: 'another password' }, authenticator)).toBe(303);
  });
});

function post(path: string, body: object): Promise<Response> {
  return fetch(`${services.node.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${services.apiKey}` },
    body: JSON.stringify(body),
  });
}

async function certify(request: object): Promise<readonly [answer: string, isReplay: string | null]> {
  const response = await post('/v1/cer/ai/certify', request);
  return [await response.text(), response.headers.get('x-idempotent-replay')];
}
