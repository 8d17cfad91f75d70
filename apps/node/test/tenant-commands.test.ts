import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { runCommand } from '../src/commands/run-command.js';
import { StartupError } from '../src/errors/startup-error.js';
import { openStore, type Store } from '../src/store/index.js';
import { at } from './ask.js';
import type { NodeEnvironment } from './node-process.js';
import { newRecord } from './store/new-record.js';

let folder: string;
let env: NodeEnvironment;
let id: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cer-tenants-'));
  env = {
    DATABASE_URL: `sqlite:${join(folder, 'database', 'node.sqlite')}`,
    KEYS_FILE: join(folder, 'keys', 'keys.json'),
    COMMITMENT_SECRET_FILE: join(folder, 'keys', 'secrets.json'),
  };
  [id = ''] = await command('tenant', 'create', '--name', 'acme');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function command(...args: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  await runCommand(args, env, (line) => lines.push(line));
  return lines;
}

async function printed(...args: readonly string[]): Promise<unknown> {
  return JSON.parse((await command(...args)).join('\n'));
}

async function onStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ databaseUrl: env['DATABASE_URL'] ?? '', queueLimit: 10 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const entries = (): Promise<unknown[]> =>
  onStore(async ({ audit }) => (await audit.after(0, 100)).map(({ entryJson }): unknown => JSON.parse(entryJson)));

describe('the tenant set command', () => {
  it('changes settings, prints and logs them', async () => {
    const publish = '{"prompt":true,"metadata":["team"]}';
    const changed = await printed(
      ...['tenant', 'set', '--name', 'acme', '--retention-days', '30', '--visibility', 'hidden'],
      ...['--legal-hold', 'on', '--publish', publish],
    );
    const settings = {
      publish: { context: true, prompt: true, instruction: false, metadata: ['team'] },
      ...{ retentionDays: 30, visibility: 'hidden', legalHold: true },
    };
    expect(changed).toMatchObject({ tenantId: id, settings, stated: { controlPlane: null } });
    expect(await printed('tenant', 'show', '--id', id)).toEqual(changed);
    const partly = await printed('tenant', 'set', '--id', id, '--retention-days=none', '--legal-hold=off');
    expect(at(partly, 'settings')).toEqual({ ...settings, retentionDays: null, legalHold: false });
    const back = await printed('tenant', 'set', '--name', 'acme', '--visibility', 'default', '--publish', 'default');
    expect(at(back, 'settings')).toMatchObject({ visibility: 'public', publish: { prompt: false } });
    expect(await entries()).toMatchObject([
      {
        seq: 1,
        act: 'tenants.settings',
        target: id,
        actor: 'command',
        details: { retentionDays: 30, legalHold: true },
      },
      { seq: 2, details: { retentionDays: null, legalHold: false } },
      { seq: 3, details: { visibility: null, publish: null } },
    ]);
  });

  it.each([
    [['set']],
    [['set', '--name', 'acme']],
    [['set', '--name', 'acme', '--id', 'x', '--legal-hold', 'on']],
    [['set', '--name', 'nobody', '--legal-hold', 'on']],
    [['set', '--id', 'nobody', '--legal-hold', 'on']],
    [['set', '--name', 'acme', '--legal-hold', 'yes']],
    [['set', '--name', 'acme', '--retention-days', '0']],
    [['set', '--name', 'acme', '--retention-days', '']],
    [['set', '--name', 'acme', '--retention-days', '1e3']],
    [['set', '--name', 'acme', '--visibility', 'visible']],
    [['set', '--name', 'acme', '--publish', '{"prompt":1}']],
    [['set', '--name', 'acme', '--publish', '{']],
    [['set', '--name', 'acme', '--minimum-protocol', '1.3.1']],
    [['show']],
    [['show', '--name=acme', '--legal-hold=on']],
  ])('refuses %j and changes nothing', async (args) => {
    const before = (await entries()).length;
    await expect(command('tenant', ...args)).rejects.toBeInstanceOf(StartupError);
    expect((await entries()).length).toBe(before);
  });

  it('names the option with an invalid value', async () => {
    await expect(command('tenant', 'set', '--name', 'acme', '--retention-days', '-1')).rejects.toThrow(
      /an option is unknown, or lacks its value|--retention-days: must be a whole number of days/,
    );
    await expect(command('tenant', 'set', '--name', 'acme', '--retention-days', '0')).rejects.toThrow(
      /^--retention-days: must be a whole number of days from 1 on, or none\n/,
    );
    await expect(command('tenant', 'set', '--name', 'acme', '--publish', 'canary')).rejects.toThrow(
      /^--publish: must be JSON with [^\n]+\n/,
    );
  });
});

describe('the compact command', () => {
  it('removes only deleted content', async () => {
    const [deleted, kept] = ['canary', 'kept'].map((mark) => newRecord({ bundleJson: JSON.stringify({ mark }) }));
    await onStore(async ({ records }) => {
      for (const record of [deleted, kept]) if (record !== undefined) await records.recordOnce(record);
      await records.setVisibility(deleted?.certificateHash ?? '', 'deleted');
    });
    expect(await command('compact')).toEqual(['the tables of records were rewritten']);
    const database = join(folder, 'database');
    const bytes = readdirSync(database).map((name) => readFileSync(join(database, name), 'latin1'));
    expect([bytes.join('').includes('canary'), bytes.join('').includes('kept')]).toEqual([false, true]);
    await expect(command('compact', 'more')).rejects.toBeInstanceOf(StartupError);
  });
});
