import { isForOperator, runService } from '@cer/http-service/process';
import { readCall } from './commands/run-command.js';
import { startWitness } from './start-witness.js';

// The only file that knows the process.
try {
  const call = await readCall(process.argv.slice(2), process.env, () => new Date());
  if (call.command === 'print') process.stdout.write(`${call.text}\n`);
  else await runService(() => startWitness(call.config));
} catch (error) {
  if (!isForOperator(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
