const MINUTE_MS = 60_000;

/** Seconds until the next whole minute, in which values are made again; at least 1. */
export function secondsToNextMinute(now: Date): number {
  return Math.ceil((MINUTE_MS - (now.getTime() % MINUTE_MS)) / 1000);
}

/** A value per key in this process. Each whole minute begins with new values. */
export function eachMinute<Value>(now: () => Date, make: () => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  let minute = 0;
  return (key) => {
    const current = Math.floor(now().getTime() / MINUTE_MS);
    if (current !== minute) values.clear();
    minute = current;
    const value = values.get(key) ?? make();
    values.set(key, value);
    return value;
  };
}
