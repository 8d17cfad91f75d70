/** A problem that stops the set-up, and its remedy. */
export class SetupError extends Error {
  constructor(problem, remedy) {
    super(problem);
    this.name = 'SetupError';
    this.remedy = remedy;
  }
}

/** Runs a script's steps; a SetupError ends it with two lines and exit code 1, never a stack trace. */
export async function runSteps(steps) {
  try {
    await steps();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(`\nCannot continue: ${error.message}\n${error.remedy}`);
    process.exitCode = 1;
  }
}
