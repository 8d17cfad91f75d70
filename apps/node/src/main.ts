import { isForOperator, runService } from '@cer/http-service/process';
import { runCommand } from './commands/run-command.js';
import { startNode } from './start/start-node.js';

const args = process.argv.slice(2);
if (args.length === 0) {
  await runService(() => startNode(process.env));
} else {
  try {
    await runCommand(args, process.env, (line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    if (!isForOperator(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
