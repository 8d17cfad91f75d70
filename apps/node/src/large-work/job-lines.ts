/** Jobs that wait for a thread: the holders (tenants) take turns, each with its jobs in order. */
export class JobLines<Job> {
  readonly #lines = new Map<string, Job[]>();

  add(holder: string, job: Job): void {
    const line = this.#lines.get(holder);
    if (line === undefined) this.#lines.set(holder, [job]);
    else line.push(job);
  }

  /** The next job, of the holder whose last turn was the longest ago. */
  next(): Job | undefined {
    const [first] = this.#lines;
    if (first === undefined) return undefined;
    const [holder, line] = first;
    this.#lines.delete(holder);
    const job = line.shift();
    if (line.length > 0) this.#lines.set(holder, line);
    return job;
  }
}
