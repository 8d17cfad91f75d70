export const DAY_MS = 24 * 60 * 60 * 1000;

/** @param time milliseconds since 1970 @returns its day in UTC, `YYYY-MM-DD` */
export function dayOfTime(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function dayAfter(day: string): string {
  return dayOfTime(Date.parse(day) + DAY_MS);
}
