/** The node cannot start as it is configured; the message tells its operator what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
