import Sqlite from 'better-sqlite3';

/** The statements that are prepared on SQLite in this process. */
export interface PreparedStatements {
  readonly texts: () => readonly string[];
  readonly stop: () => void;
}

/** Records every statement that services in this process prepare from now on, however they reach the driver. */
export function recordPrepared(): PreparedStatements {
  const texts = new Set<string>();
  const prepare: unknown = Reflect.get(Sqlite.prototype, 'prepare');
  if (typeof prepare !== 'function') throw new TypeError('the driver prepares no statements');
  Reflect.set(Sqlite.prototype, 'prepare', function (this: unknown, text: string): unknown {
    texts.add(text);
    const statement: unknown = Reflect.apply(prepare, this, [text]);
    return statement;
  });
  return {
    texts: () => [...texts],
    stop: () => {
      Reflect.set(Sqlite.prototype, 'prepare', prepare);
    },
  };
}

/** A text literal, which stays, or a parameter: plans are made before parameters have values. */
const PARAMETERS = /'[^']*'|\?|\$\d+/g;
const EXPLAINED = /^\s*(select|insert|update|delete|with)\b/i;
/** Reads all rows of a table or of an index, or those with given values in some columns. */
const SCAN = /^SCAN (\w+)/;
const SEARCH = /^SEARCH \S+ USING .*\((.*)\)$/;
/** Takes the first rows of an order, regardless of all others. */
const FIRST_ROWS = /^\s*select [^()]* from [\w`]+ (order by [^()]* )?limit\b/i;

/**
 * Steps of SQLite's plans that read more of a table the larger it is: all of it, or what has one of few values. It plans
 * without statistics, so the plans are those of a store of any size.
 * @param query runs one statement on a database with the schema of the statements
 * @param fewValues columns that have few values on any store, or few for one caller
 * @returns each step once, with its statement
 */
export async function readingPlans(
  query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
  statements: readonly string[],
  fewValues: ReadonlySet<string>,
): Promise<readonly string[]> {
  const hasFew = (step: string): boolean => {
    const columns = SEARCH.exec(step)?.[1]
      ?.split(' AND ')
      .map((part) => part.replace(/[=<>]+\?$/, ''));
    return columns !== undefined && columns.every((column) => fewValues.has(column));
  };
  const found = new Set<string>();
  for (const statement of statements.filter((text) => EXPLAINED.test(text))) {
    const text = statement.replaceAll(PARAMETERS, (part) => (part.startsWith("'") ? part : "'a'"));
    const steps = (await query(`explain query plan ${text}`)).map(({ detail }) => String(detail));
    const isSorted = steps.some((step) => step.includes('TEMP B-TREE'));
    const isScan = (step: string): boolean => {
      const name = SCAN.exec(step)?.[1];
      // A subquery has its own steps.
      if (name === undefined || name === 'CONSTANT' || new RegExp(`\\)\\s+(as )?${name}\\b`).test(text)) return false;
      return isSorted || !FIRST_ROWS.test(text);
    };
    for (const step of steps) {
      if (isScan(step) || hasFew(step)) found.add(`${step}: ${statement.replaceAll(/\s+/g, ' ').trim()}`);
    }
  }
  return [...found].toSorted();
}

/** A step that may read many rows, and why; the others must not. */
export type ReadsMany = readonly (readonly [step: RegExp, reason: string])[];

/** @returns steps that no rule allows, and rules that allow none */
export function planFaults(found: readonly string[], allowed: ReadsMany): readonly string[] {
  return [
    ...found.filter((step) => !allowed.some(([rule]) => rule.test(step))),
    ...allowed.filter(([rule]) => !found.some((step) => rule.test(step))).map(([rule]) => `unused: ${rule.source}`),
  ];
}

/**
 * @param work has a service prepare statements; the service is closed when their plans were read
 * @returns steps of what it prepares on SQLite during the work that read many rows, and that no rule allows
 */
export async function preparedPlanFaults(
  query: Parameters<typeof readingPlans>[0],
  { fewValues, readsMany }: { readonly fewValues: ReadonlySet<string>; readonly readsMany: ReadsMany },
  work: () => Promise<{ readonly close: () => Promise<void> }>,
): Promise<readonly string[]> {
  const prepared = recordPrepared();
  const service = await work().finally(prepared.stop);
  try {
    return planFaults(await readingPlans(query, prepared.texts(), fewValues), readsMany);
  } finally {
    await service.close();
  }
}
