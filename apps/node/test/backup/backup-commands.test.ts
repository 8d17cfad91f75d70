import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { runCommand } from '../../src/commands/run-command.js';
import { openStore, type Store } from '../../src/store/index.js';
import { newRecord } from '../store/new-record.js';

let folder: string;
let path: string;
let store: Store;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cer-backup-'));
  path = join(folder, 'node.sqlite');
  store = await openStore({ databaseUrl: `sqlite:${path}`, queueLimit: 10 });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function said(args: readonly string[], databaseUrl = `sqlite:${path}`): Promise<string> {
  const lines: string[] = [];
  await runCommand(args, { DATABASE_URL: databaseUrl }, (line) => lines.push(line));
  return lines.join('\n');
}

describe('backup and restore', () => {
  it('make a private copy without deleted content', async () => {
    const gone = newRecord({ bundleJson: '{"canary":"deleted before the backup"}' });
    const kept = newRecord({ bundleJson: '{"canary":"kept"}', attestedAt: '2026-01-02T03:04:06.000Z' });
    await store.records.recordOnce(gone);
    expect(await said(['backup', '--out', join(folder, 'one.sqlite')])).toContain('; 1 record, the newest');
    await store.records.recordOnce(kept);
    await store.records.setVisibility(gone.certificateHash, 'deleted');
    await store.audit.append({ seq: 1, entryJson: '{}', hash: 'sha256:head', kid: 'k', signature: 's' });
    const copy = join(folder, 'copy.sqlite');
    const line = await said(['backup', '--out', copy]);
    expect(line).toMatch(/schema version \d+; 2 records, the newest attested at 2026-01-02T03:04:06.000Z/);
    expect(line).toContain('audit log up to 1 (sha256:head); key history up to 0');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(copy, 'latin1');
    expect([bytes.includes('"kept"'), bytes.includes('deleted before the backup')]).toEqual([true, false]);

    const place = join(folder, 'elsewhere', 'node.sqlite');
    await said(['restore', '--from', copy], `sqlite:${place}`);
    const restored = await openStore({ databaseUrl: `sqlite:${place}`, queueLimit: 10 });
    try {
      expect(await restored.records.findByHash(kept.certificateHash)).toMatchObject({ bundleJson: kept.bundleJson });
      expect(await restored.audit.last()).toMatchObject({ seq: 1, hash: 'sha256:head' });
    } finally {
      await restored.close();
    }
  });

  it('report no usage twice and renew report ids', async () => {
    await store.records.recordOnce(newRecord());
    const place = join(folder, 'reporting', 'node.sqlite');
    const copy = join(folder, 'reporting.sqlite');
    await said(['backup', '--out', copy]);
    await said(['restore', '--from', copy], `sqlite:${place}`);
    const restored = await openStore({ databaseUrl: `sqlite:${place}`, queueLimit: 10 });
    try {
      expect(await restored.usage.next(await restored.usage.newest())).toBeNull();
      const added = [store, restored].map(async ({ records, usage }) => {
        await records.recordOnce(newRecord());
        return usage.next(await usage.newest());
      });
      const [original, ofCopy] = await Promise.all(added);
      expect(ofCopy).toMatchObject({ upTo: original?.upTo, items: [{ count: 1 }] });
      expect(ofCopy?.reportId).not.toBe(original?.reportId);
    } finally {
      await restored.close();
    }
  });

  it.each(['node.sqlite', 'node.sqlite-wal', 'node.sqlite-shm'])(
    'does not restore beside an existing %s',
    async (name) => {
      const place = mkdtempSync(join(folder, 'taken-'));
      writeFileSync(join(place, name), 'newer certificates');
      const copy = join(place, 'copy.sqlite');
      await said(['backup', '--out', copy]);
      await expect(said(['restore', '--from', copy], `sqlite:${join(place, 'node.sqlite')}`)).rejects.toThrow(
        `${name} exists already`,
      );
      expect(readFileSync(join(place, name), 'utf8')).toBe('newer certificates');
    },
  );

  it('remove an incomplete or damaged copy', async () => {
    const place = mkdtempSync(join(folder, 'refused-'));
    const out = join(place, 'copy.sqlite');
    await expect(said(['backup', '--out', out], `sqlite:${join(place, 'none.sqlite')}`)).rejects.toThrow(
      'no such file',
    );
    writeFileSync(join(place, 'text'), 'this is not a database, of any length '.repeat(1000));
    await expect(said(['restore', '--from', join(place, 'text')], `sqlite:${out}`)).rejects.toThrow('SQLITE_NOTADB');
    const damaged = join(place, 'damaged');
    await said(['backup', '--out', damaged]);
    const bytes = readFileSync(damaged);
    writeFileSync(damaged, bytes.fill(0x55, 16_384 * 2, 16_384 * 3));
    await expect(said(['restore', '--from', damaged], `sqlite:${out}`)).rejects.toThrow(/damaged|SQLITE_CORRUPT/);
    writeFileSync(`${out}.part`, 'of another');
    await expect(said(['backup', '--out', out])).rejects.toThrow('another copy is being made, or one was killed');
    const none = join(place, 'none', 'copy.sqlite');
    await expect(said(['backup', '--out', none])).rejects.toThrow(
      `${none}.part cannot be written: there is no folder ${join(place, 'none')}. Make it, mode 0700`,
    );
    expect([existsSync(out), readdirSync(place).toSorted()]).toEqual([false, ['copy.sqlite.part', 'damaged', 'text']]);
  });

  it('say which file or folder this user may not use', async () => {
    if (process.geteuid?.() !== 0) {
      process.stderr.write('not run: a folder of another user, which only root can make\n');
      expect(process.geteuid?.()).not.toBe(0);
      return;
    }
    const place = mkdtempSync(join(folder, 'of-root-'));
    const [copy, ours] = [join(place, 'copy.sqlite'), mkdtempSync(join(folder, 'ours-'))];
    await said(['backup', '--out', copy]);
    chownSync(ours, 65_534, 65_534);
    chmodSync(folder, 0o755);
    const refused = async (args: readonly string[], databaseUrl?: string): Promise<string> => {
      process.seteuid?.(65_534);
      try {
        return await said(args, databaseUrl).catch(String);
      } finally {
        process.seteuid?.(0);
      }
    };
    const own = `sqlite:${join(ours, 'node.sqlite')}`;
    const remedy = 'Correct the owner or mode of these files and their folders';
    // The folder is private to root, then only the file is.
    const hidden = await refused(['restore', '--from', copy], own);
    expect(hidden).toContain(`${copy} cannot be looked up by this user (EACCES). ${remedy}`);
    expect(await refused(['restore', '--from', copy], `sqlite:${join(place, 'new', 'node.sqlite')}`)).toMatch(
      /^PrivateFileError: .*cannot be written \(EACCES\)/,
    );
    chmodSync(place, 0o755);
    const unreadable = `${copy} could not be copied (this user may not open it, or its -wal or -shm file, SQLITE_CANTOPEN)`;
    for (const [args, url] of [
      [['restore', '--from', copy], own],
      [['backup', '--out', join(ours, 'x')], `sqlite:${copy}`],
    ] as const) {
      expect(await refused(args, url)).toContain(`${unreadable}: nothing was kept. ${remedy}`);
    }
    chownSync(copy, 65_534, 65_534);
    expect(await refused(['log', 'status'], `sqlite:${copy}`)).toContain(
      '(SQLITE_READONLY_DIRECTORY): this user may not write the folder of the file in DATABASE_URL',
    );
    await said(['restore', '--from', copy], own);
    chownSync(join(ours, 'node.sqlite'), 65_534, 65_534);
    writeFileSync(join(ours, 'node.sqlite-wal'), '', { mode: 0o600 });
    expect(await refused(['log', 'status'], own)).toContain(
      '(SQLITE_CANTOPEN): the file in DATABASE_URL, or the -wal or -shm file beside it, cannot be opened',
    );
  });

  it('print their usage and refer to the tools of PostgreSQL', async () => {
    for (const args of [
      ['backup'],
      ['backup', '--out'],
      ['backup', '--out', ''],
      ['restore', 'x'],
      ['restore', '--out', 'x'],
    ]) {
      await expect(said(args)).rejects.toThrow(/--(out|from) FILE/);
    }
    await expect(said(['backup', '--out', join(folder, 'pg')], 'postgres://u:p@127.0.0.1/db')).rejects.toThrow(
      'docs/backup.md',
    );
  });
});
