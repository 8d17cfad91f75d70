/** Runs a task when every earlier one has ended, whether or not that one failed. */
export type OneAtATime = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Returns a function that runs tasks one after another, in the order of its calls. */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
