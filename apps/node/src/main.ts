import { isForOperator, runService } from '@cer/http-service/process';
import { runCommand } from './commands/run-command.js';
import { startOnCores } from './start/start-on-cores.js';

const args = process.argv.slice(2);
if (args.length === 0) {
  await runService(() =>
    startOnCores(process.env, ({ message }) => {
      process.stderr.write(`${message}\n`);
      process.exit(1);
    }),
  );
} else {
  try {
    await runCommand(args, process.env, (line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    if (!isForOperator(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
