import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCall, type Call } from '../src/commands/run-command.js';
import { temporaryFolder } from './local-witness.js';

describe('the help of the witness', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    folder.remove();
  });

  const call = (words: readonly string[]): Promise<Call> => readCall(words, {}, () => new Date(0));

  it('ends with examples that it takes', async () => {
    const help = await call(['--help']);
    const text = help.command === 'print' ? help.text : '';
    const examples = (text.split('Examples:\n')[1] ?? '').split('\n').map((line) => line.trim());
    expect(examples).toHaveLength(2);
    const [init = '', serve = ''] = examples.map((line) => line.replace('cer-witness ', ''));
    const made = await call(init.replace('/data', folder.path('.')).split(' '));
    const vkey = made.command === 'print' ? made.text : '';
    const started = await call(serve.replace('/data', folder.path('.')).replace('"$LOG_VKEY"', vkey).split(' '));
    expect(started).toMatchObject({ command: 'serve', config: { databaseFile: folder.path('w.sqlite') } });
  });
});
