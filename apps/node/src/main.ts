import { KeyError } from '@cer/keys';
import { ConfigError, runService, SecretFileError } from '@cer/http-service';
import { CommitmentSecretsError } from './certify/commitment-secrets.js';
import { runCommand } from './commands/run-command.js';
import { SignerAwayError } from './signing/key-holder.js';
import { startNode } from './start/start-node.js';
import { StartupError } from './errors/startup-error.js';
import { StoreError } from './store/index.js';

/** Errors whose message is meant for the operator. */
function isForOperator(error: unknown): error is Error {
  const known = [
    StartupError,
    KeyError,
    StoreError,
    SignerAwayError,
    CommitmentSecretsError,
    ConfigError,
    SecretFileError,
  ];
  return known.some((each) => error instanceof each);
}

const args = process.argv.slice(2);
if (args.length === 0) {
  await runService(() => startNode(process.env), process, isForOperator);
} else {
  try {
    await runCommand(args, process.env, (line) => process.stdout.write(`${line}\n`));
  } catch (error) {
    if (!isForOperator(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
