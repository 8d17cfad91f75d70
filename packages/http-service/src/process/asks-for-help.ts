/** Whether the arguments of a program ask for its help: `help` as a command, or the option among any others. */
export function asksForHelp(args: readonly string[]): boolean {
  return args[0] === 'help' || args.some((arg) => arg === '--help' || arg === '-h');
}
