/** Whether a program is asked for its help: `help` as a command, or the option among others. After `--` all are operands. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return args[0] === 'help' || options.some((arg) => arg === '--help' || arg === '-h');
}
