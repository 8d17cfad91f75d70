/** The command was called in a way it cannot follow: exit 3 and this one line. Names files and flags, never content. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Whether the help of the command answers what was wrong. */
  readonly seesHelp: boolean;

  constructor(message: string, { seesHelp = false }: { readonly seesHelp?: boolean } = {}) {
    super(message);
    this.seesHelp = seesHelp;
  }
}
