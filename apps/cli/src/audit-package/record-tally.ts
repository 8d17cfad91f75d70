import { member, type JsonObject } from '@cer/canonical-json';

/** Certificates of one application on one day, as a node counted them. */
interface CountedDay {
  readonly day: string;
  readonly appId: string | null;
  readonly certified: number;
  readonly reports: number;
}

/** The number of records in a package by day and application. */
export class RecordTally {
  readonly #counts = new Map<string, number>();

  /** @param line of `receipts/` */
  add(line: JsonObject): void {
    const [time, appId] = [member(line, 'firstAttestedAt'), member(line, 'appId')];
    if (typeof time !== 'string') return;
    const key = keyOf(time.slice(0, 10), typeof appId === 'string' && appId !== '' ? appId : null);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Whether each day and application has at least its records in the rows. */
  fits(days: readonly CountedDay[]): boolean {
    const stated = new Map(days.map((row) => [keyOf(row.day, row.appId), row.certified + row.reports]));
    return [...this.#counts].every(([key, found]) => found <= (stated.get(key) ?? 0));
  }
}

function keyOf(date: string, appId: string | null): string {
  return JSON.stringify([date, appId]);
}
