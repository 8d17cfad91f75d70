import { text } from 'node:stream/consumers';
import { runService } from '@cer/http-service/process';
import { runCommand } from './commands/run-command.js';
import { startDashboard } from './start-dashboard.js';

const line = (stream: NodeJS.WriteStream) => (words: string) => {
  stream.write(`${words}\n`);
};

const words = process.argv.slice(2);
if (words.length === 0) {
  await runService(() => startDashboard(process.env, line(process.stdout)));
} else {
  process.exitCode = await runCommand(words, {
    env: process.env,
    print: line(process.stdout),
    complain: line(process.stderr),
    readInput: async () => (await text(process.stdin)).replace(/\r?\n$/, ''),
    now: () => new Date(),
  });
}
