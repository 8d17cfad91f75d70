import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { originHashOf, parseCheckpoint } from '@cer/tlog/note';
import { TestLog } from '@cer/tlog/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { get, submit, temporaryFolder } from './local-witness.js';

const MAIN = join(__dirname, '../dist/main.js');
const ROUNDS = 6;
const folder = temporaryFolder();
const children = new Set<ChildProcess>();
const database = folder.path('w.sqlite');

beforeAll(() => {
  execFileSync(process.execPath, [MAIN, 'init', '--name', 'witness.example/w1', '--db', database]);
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  folder.remove();
});

async function start(vkey: string): Promise<{ url: string; child: ChildProcess }> {
  const args = [MAIN, 'serve', '--db', database, '--log', vkey, '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  let said = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const url = /"url":"([^"]+)"/.exec(said)?.[1];
    if (url !== undefined) return { url, child };
  }
  throw new Error('the witness ended before it listened');
}

it('a killed witness keeps every cosigned size of one tree', async () => {
  const log = new TestLog('node.example/log');
  log.appendMany(ROUNDS * 20);
  let known = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { url, child } = await start(log.vkey);
    const gone = once(child, 'exit');
    // Killed after a few answers, while the next request is under way.
    for (let step = 0; step < 1 + (round % 4); step++) {
      const size = known + 1;
      const answer = await submit(url, await log.checkpoint(size), known, log.tree.consistencyPath(known, size));
      expect(answer.status).toBe(200);
      known = size;
    }
    const next = known + 1;
    const pending = submit(url, await log.checkpoint(next), known, log.tree.consistencyPath(known, next)).catch(
      () => null,
    );
    child.kill('SIGKILL');
    const answer = await pending;
    await gone;
    children.delete(child);

    const again = await start(log.vkey);
    const kept = await get(again.url, `/${originHashOf(log.origin)}/checkpoint`);
    const { size, root } = parseCheckpoint(kept.text);
    // Answered submissions are stored; the others may be.
    expect([answer?.status === 200 ? next : known, next]).toContain(size);
    expect(root).toEqual(log.tree.rootAt(size));
    known = size;
    const fork = new TestLog(log.origin);
    fork.appendMany(known, 9);
    expect(await submit(again.url, await fork.checkpoint(), known)).toMatchObject({ status: 422 });
    again.child.kill('SIGTERM');
    await once(again.child, 'exit');
    children.delete(again.child);
  }
});
