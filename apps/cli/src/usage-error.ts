/** The command was called in a way it cannot follow: exit 3 and this one line. Names files and flags, never content. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
