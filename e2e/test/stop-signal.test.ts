import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { root } from './npm-start.js';

const MODULE = pathToFileURL(join(root, 'scripts/services/stop-signal.mjs')).href;

it('stops when the shell of npm is ended', async () => {
  const code = `
    const { untilStopSignal } = await import(${JSON.stringify(MODULE)});
    const stopped = untilStopSignal();
    const running = setInterval(() => undefined, 1000);
    console.log('waiting');
    console.log('stopped by ' + (await stopped));
    clearInterval(running);`;
  // More than one command: the shell stays, as that of npm does.
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, code], {
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const text of shell.stdout) {
    said += String(text);
    if (said === 'waiting\n') shell.kill('SIGTERM');
  }
  expect(said).toBe('waiting\nstopped by SIGTERM\n');
});
