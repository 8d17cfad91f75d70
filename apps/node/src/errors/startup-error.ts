/** The node cannot start with this configuration; the message names the remedy. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
