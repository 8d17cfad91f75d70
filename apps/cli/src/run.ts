import { commandsUnder, findCommand, loadCommands } from './commands/registry.js';
import { EXIT, type ExitCode } from './exit-code.js';
import type { Io } from './io.js';
import { widthOf } from './report/lay-out.js';
import { printable } from './printable.js';
import { UsageError } from './usage-error.js';
import { VERSION } from './version.js';

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

/**
 * Runs one command line.
 * @param argv the words after `cer`
 * @returns the exit code; all output has been written to `io` by then
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const command = error.seesHelp ? findCommand(argv)?.command.name : undefined;
    io.stderr.write(`cer: ${error.message}${command === undefined ? '' : ` (see: cer help ${command})`}\n`);
    return EXIT.usage;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [first] = argv;
  if (first === undefined) throw new UsageError('which command? (cer help lists them)');
  if (first === '--version' || first === '-V') {
    io.stdout.write(`${VERSION}\n`);
    return EXIT.verified;
  }
  if (HELP_FLAGS.has(first)) {
    const { overview } = await import('./commands/help.js');
    io.stdout.write(overview(await loadCommands(), widthOf(io.stdout)));
    return EXIT.verified;
  }
  const call = findCommand(argv);
  const words = argv.filter((arg) => !HELP_FLAGS.has(arg));
  const under = call === null ? commandsUnder(words) : [];
  if (under.length > 0 && asksForHelp(argv)) return run(['help', ...words], io);
  if (under.length > 0) {
    const names = under.map(({ name }) => name).join(', ');
    const question = under.length === 1 ? 'do you mean' : 'which one';
    throw new UsageError(`${question}: ${names}? (see: cer help ${printable(first, 40)})`);
  }
  if (call === null) {
    const group = groupIn(words);
    if (group.length > 0) {
      const [name, wrong] = [group.join(' '), printable(words[group.length] ?? '', 40)];
      throw new UsageError(`${name} has no command ${wrong} (cer help ${name} lists its commands)`);
    }
    const kind = first.startsWith('-') ? 'flag' : 'command';
    throw new UsageError(`unknown ${kind} ${printable(first, 40)} (cer help lists the commands)`);
  }
  if (asksForHelp(call.args)) {
    const { commandPage } = await import('./commands/help.js');
    io.stdout.write(commandPage(await call.command.load(), widthOf(io.stdout)));
    return EXIT.verified;
  }
  const command = await call.command.load();
  return command.run(call.args, io);
}

/** The words with which names of commands begin, such as `keys root` in `keys root sgn`; none where there are none. */
function groupIn(argv: readonly string[]): readonly string[] {
  const wrong = argv.findIndex((_, at) => commandsUnder(argv.slice(0, at + 1)).length === 0);
  return argv.slice(0, wrong);
}

/** After `--` everything is an operand. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => HELP_FLAGS.has(arg));
}
