import { EXIT, type ExitCode } from '../exit-code.js';
import type { Io } from '../io.js';
import { rows, widthOf } from '../report/lay-out.js';
import { printable } from '../printable.js';
import { UsageError } from '../usage-error.js';
import { VERSION } from '../version.js';
import type { Command } from '../command.js';

const EXIT_CODES: readonly (readonly [string, string])[] = [
  ['0', 'verified'],
  ['1', 'failed; standard error holds one JSON report and nothing else'],
  ['2', 'not found'],
  ['3', 'the call was wrong: a missing file, broken JSON, an unknown flag'],
  ['4', 'a render cannot be judged here, and standard error holds one JSON report; or certificates wait in a spool'],
];

/** Explains the commands. @param commands read late, because help is one of them */
export function helpCommand(commands: () => Promise<readonly Command[]>): Command {
  return {
    name: 'help',
    summary: 'explain a command',
    usage: ['help [COMMAND]'],
    options: [],
    examples: [['cer help verify', 'what verify can do']],
    run: async (args, io) => help(args, await commands(), io),
  };
}

function help(args: readonly string[], commands: readonly Command[], io: Io): ExitCode {
  const name = args.join(' ');
  const width = widthOf(io.stdout);
  if (name === '') {
    io.stdout.write(overview(commands, width));
    return EXIT.verified;
  }
  const named = commands.filter((row) => row.name === name || row.name.startsWith(`${name} `));
  if (named.length === 0) throw new UsageError(`no command is called ${printable(name, 40)} (cer help lists them)`);
  io.stdout.write(named.map((command) => commandPage(command, width)).join('\n'));
  return EXIT.verified;
}

/** The overview that `cer --help` prints. */
export function overview(commands: readonly Command[], width: number): string {
  const first = commands.flatMap(({ examples }) => examples.slice(0, 1));
  return [
    `cer ${VERSION}: seal and verify Certified Execution Records\n`,
    '\nUsage: cer COMMAND [options]    cer help COMMAND    cer --version\n',
    '\nCommands\n',
    rows(
      commands.map(({ name, summary }) => [name, summary]),
      width,
    ),
    '\nExamples\n',
    first.map(([line]) => `  ${line}\n`).join(''),
    '\nExit codes\n',
    rows(EXIT_CODES, width),
  ].join('');
}

export function commandPage({ name, summary, usage, options, examples }: Command, width: number): string {
  return [
    `cer ${name}: ${summary}\n`,
    '\nUsage\n',
    usage.map((line) => `  cer ${line}\n`).join(''),
    options.length === 0 ? '' : `\nOptions\n${rows(options, width)}`,
    examples.length === 0 ? '' : '\nExamples\n',
    examples.map(([line, text]) => `  ${line}\n      ${text}\n`).join(''),
  ].join('');
}
