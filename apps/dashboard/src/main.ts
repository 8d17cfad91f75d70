import { text } from 'node:stream/consumers';
import { ConfigError, runService } from '@cer/http-service';
import { StoreError } from '@cer/sql-store';
import { runCommand } from './commands/run-command.js';
import { KeysFileError } from './jwks/keys-file.js';
import { startDashboard } from './start-dashboard.js';

const line = (stream: NodeJS.WriteStream) => (words: string) => {
  stream.write(`${words}\n`);
};

const words = process.argv.slice(2);
if (words.length === 0) {
  await runService(async () => {
    try {
      return await startDashboard(process.env, line(process.stdout));
    } catch (error) {
      // Their messages are for the person who starts the service, as a bad variable's are.
      if (error instanceof StoreError || error instanceof KeysFileError) throw new ConfigError([error.message]);
      throw error;
    }
  });
} else {
  process.exitCode = await runCommand(words, {
    env: process.env,
    print: line(process.stdout),
    complain: line(process.stderr),
    readInput: async () => (await text(process.stdin)).replace(/\r?\n$/, ''),
    now: () => new Date(),
  });
}
