import { expect, it } from '@jest/globals';
import { TestLog } from '../testing/index.js';
import { parseNote, verifyLines } from './signed-note.js';
import { parseVkey } from './vkey.js';

it('verifies a line that a note repeats once', async () => {
  const log = new TestLog('node.example/log');
  log.appendMany(3);
  const checkpoint = await log.checkpoint();
  const line = checkpoint.slice(checkpoint.indexOf('\n\n') + 2);
  let verifications = 0;
  const known = parseVkey(log.vkey);
  const key = {
    ...known,
    get publicKey() {
      verifications += 1;
      return known.publicKey;
    },
  };
  const verified = await verifyLines(parseNote(checkpoint + line.repeat(63)), [key]);
  expect(verified).toHaveLength(64);
  expect(verifications).toBe(1);
});
