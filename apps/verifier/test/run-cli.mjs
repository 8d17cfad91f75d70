// Runs command lines of the built `cer` in one process, as its main does: `node run-cli.mjs PATH_OF_RUN_JS STATE_FOLDER`, one JSON
// array of arguments a line on standard input, one JSON result a line on standard output.
import { createInterface } from 'node:readline';

const { run } = await import(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const written = { stdout: '', stderr: '' };
  const output = (name) => ({ write: (text) => void (written[name] += text), isTerminal: false, columns: undefined });
  const exit = await run(JSON.parse(line), {
    stdin: process.stdin,
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: { XDG_STATE_HOME: process.argv[3] },
    now: () => new Date(),
    randomId: () => crypto.randomUUID(),
    randomBytes: (length) => new Uint8Array(length),
    onInterrupt: () => () => undefined,
  });
  process.stdout.write(`${JSON.stringify({ exit, ...written })}\n`);
}
