/**
 * Makes what runs pieces of work one after another, however many arrive at once. For what needs much memory for a
 * moment and would not be faster side by side.
 */
export function oneAtATime(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
