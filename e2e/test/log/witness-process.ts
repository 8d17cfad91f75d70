import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtProgram } from '@cer/http-service/testing';

/** The witness as it is deployed, with its own database. */
export interface WitnessProcess {
  /** Its line in policies, under the name `w`. */
  readonly line: string;
  readonly stop: () => Promise<void>;
}

/** @param logs verifier keys of the logs that it cosigns */
export async function startWitnessProcess(folder: string, logs: readonly string[]): Promise<WitnessProcess> {
  const database = join(folder, 'witness.sqlite');
  const program = builtProgram('apps/witness/src/main.ts');
  const made = execFileSync(process.execPath, [program, 'init', '--name', 'witness.example/1', '--db', database]);
  const flags = logs.flatMap((vkey) => ['--log', vkey]);
  const child = spawn(process.execPath, [program, 'serve', '--db', database, '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    const url = /"url":"([^"]+)"/.exec(said)?.[1];
    if (url === undefined) continue;
    const stop = async (): Promise<void> => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    };
    return { line: `witness w ${made.toString().trim()} ${url}\nquorum w\n`, stop };
  }
  throw new Error('the witness ended before it listened');
}
