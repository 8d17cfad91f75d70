/** The expected status of every caller. */
export type Statuses<Caller extends string> = Readonly<Record<Caller, number>>;

/** A request of the matrix of callers and routes. */
export interface CallerRow<Caller extends string> {
  /** As in the route table of the service: method and path. */
  readonly route: string;
  /** Distinguishes rows of one route. */
  readonly about?: string;
  readonly expected: Statuses<Caller>;
}

/** @returns a function that gives every caller the same status */
export function everyCaller<Caller extends string>(callers: readonly Caller[]): (status: number) => Statuses<Caller> {
  return (status) => Object.fromEntries(callers.map((caller) => [caller, status])) as Record<Caller, number>;
}

/** Rows with their names, for `it.each`. */
export function namedRows<Row extends CallerRow<string>>(rows: readonly Row[]): (readonly [string, Row])[] {
  return rows.map((row) => [`${row.route}${row.about === undefined ? '' : `: ${row.about}`}`, row]);
}

/** The routes that have a row, each once, in order. */
export function routesOfRows(rows: readonly CallerRow<string>[]): readonly string[] {
  return [...new Set(rows.map(({ route }) => route))].toSorted();
}
