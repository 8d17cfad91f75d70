import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';

import { recordedLog } from '@cer/http-service/testing';
import { expect, it } from '@jest/globals';

import { openMarkFile } from '../../src/restore-mark/mark-file.js';
import { startMarking, type Marking } from '../../src/restore-mark/marking.js';
import { ask } from '../ask.js';
import { startTestNode } from '../test-node.js';

it('is reported once while its folder cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cer-mark-'));
  const place = join(folder, 'later', 'mark');
  const { logger, lines } = recordedLog();
  const written = (): readonly unknown[] =>
    lines.map((line) => (JSON.parse(line) as { level: unknown }).level).filter((level) => level !== 'debug');
  let attempts = 0;
  const started: Marking[] = [];
  const node = await startTestNode({
    replace: ({ store, now }) => {
      const counted = {
        ...store,
        audit: {
          ...store.audit,
          last: async () => {
            attempts += 1;
            return store.audit.last();
          },
        },
      };
      const marking = startMarking({ store: counted, file: openMarkFile(place), now, logger, everyMs: 1 });
      started.push(marking);
      return { marking };
    },
  });
  const afterAttempts = async (more: number): Promise<void> => {
    const until = attempts + more;
    while (attempts < until) await nextTurnOfLoop();
  };
  try {
    await afterAttempts(4);
    expect(written()).toEqual(['warn']);
    expect(lines.join()).toContain(`${place}: cannot be written`);
    expect(lines.join()).toContain('set RESTORE_MARK_FILE to a file in a folder');
    expect((await ask(node, 'get', '/ready')).body).toEqual({
      status: 'ready',
      warnings: ['restore mark: cannot be written; the log says why. Set RESTORE_MARK_FILE to a writable place'],
    });
    mkdirSync(join(folder, 'later'));
    await afterAttempts(3);
    expect(written()).toEqual(['warn', 'info']);
    expect(existsSync(place)).toBe(true);
    expect((await ask(node, 'get', '/ready')).body).toEqual({ status: 'ready' });
  } finally {
    await Promise.all(started.map((marking) => marking.stop()));
    await node.close();
    rmSync(folder, { recursive: true });
  }
});
