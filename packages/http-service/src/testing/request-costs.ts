import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CallerRow } from './caller-matrix.js';
import { takeOperations } from './operations.js';

/** The work of a database for a request. */
export interface DatabaseWork {
  readonly statements: number;
  /** Rows that these read. */
  readonly rows: number;
}

/** The costs of a request: blocks of code of service and test, statements, and the rows that these read. */
export interface RequestCost extends DatabaseWork {
  readonly operations: number;
  readonly status: number;
}

/** A service on a store with some number of each kind of row; nothing works on them but requests. */
export interface PopulatedService<Row> {
  /** Sends the request of a row, or one with another body. */
  readonly send: (row: Row, body?: unknown) => Promise<{ readonly status: number }>;
  /** The work of its database since the last call. */
  readonly work: () => DatabaseWork;
  readonly close: () => Promise<void>;
}

/** Above the factor 4 of linear work: quadratic work takes 16 times as much. */
const LINEAR = 4.6;
/** Limit of costs that do not grow with the store. */
const FLAT = 1.25;
/** Rows and statements of occasional work beside a request: blocks of quotas, written counts. */
const FEW = 12;
/** Blocks of code of the same. */
const BESIDE = 10_000;

/** The cost since the last request: nothing else runs between two of them, and counting takes longer than most requests. */
async function costOf(
  work: () => DatabaseWork,
  send: () => Promise<{ readonly status: number }>,
): Promise<RequestCost> {
  const { status } = await send();
  return { operations: takeOperations(), ...work(), status };
}

/** The cost of a request on few rows or parts, and of the same on four times as many. */
type CostPair = readonly [less: RequestCost, more: RequestCost];

export interface GrowthOptions<Row, Service> {
  readonly rows: readonly (readonly [name: string, row: Row])[];
  readonly populate: (size: number) => Promise<Service>;
  /** Makes the body of a route, or of a row by its name, of `size` parts; null: the body of the route has no part that can be repeated. */
  readonly bodies: Readonly<Record<string, ((size: number, on: Service) => unknown) | null>>;
  /** Whether its answer shows as many rows as there are, up to a page; other requests take the same work on any store. */
  readonly readsMany: (row: Row) => boolean;
  readonly statusOf: (row: Row) => number;
}

/** The number of rows or parts; the larger store and body have four times as many. */
const SIZE = 16;
const WITHIN_MS = 600_000;

/**
 * Tests every route on n and on 4n rows of each table, and every route with a body on n and 4n of its parts. Blocks of
 * code, statements and rows that these read are counted, not time.
 */
export function describeGrowth<Row extends CallerRow<string>, Service extends PopulatedService<Row>>(
  options: GrowthOptions<Row, Service>,
): void {
  const { rows, bodies, readsMany, statusOf } = options;
  let growth: Growth;

  beforeAll(async () => {
    growth = await measureGrowth(options);
  }, WITHIN_MS);

  describe('a request on a store with four times as many rows', () => {
    it.each(rows)('takes no more work: %s', (name, row) => {
      expect(growthFaults(growth.stores.get(name), readsMany(row) ? LINEAR : FLAT, statusOf(row))).toEqual([]);
    });
  });

  describe('a body of four times as many parts', () => {
    it.each(rows.filter(([name]) => (bodies[name] ?? null) !== null))(
      'takes at most four times the work: %s',
      (name, row) => {
        expect(growthFaults(growth.bodies.get(name), LINEAR, statusOf(row))).toEqual([]);
      },
    );
  });
}

/** A store with some number of each kind of row, and the tasks that its service runs at intervals. */
export interface PopulatedTasks {
  readonly run: (task: string) => Promise<void>;
  /** The work of its database since the last call. */
  readonly work: () => DatabaseWork;
  readonly close: () => Promise<void>;
}

export interface TaskGrowthOptions {
  /** Tasks in the order in which they run on one store, and whether a larger store gives each of them more to do. */
  readonly tasks: readonly (readonly [task: string, hasMore: boolean])[];
  readonly populate: (size: number) => Promise<PopulatedTasks>;
}

/**
 * Tests each task on n and on 4n rows of each table: one that has as much to do on both takes the same work, and one that
 * has four times as much to do takes at most four times the work, and more than twice as much of
 * something: otherwise it had no more to do.
 */
export function describeTaskGrowth({ tasks, populate }: TaskGrowthOptions): void {
  const costs: ReadonlyMap<string, RequestCost>[] = [];

  beforeAll(async () => {
    // The first store is not counted, because code that runs for the first time is compiled.
    for (const size of [4 * SIZE, SIZE, 4 * SIZE]) {
      const on = await populate(size);
      const ofStore = new Map<string, RequestCost>();
      takeOperations();
      on.work();
      for (const [task] of tasks) {
        ofStore.set(task, await costOf(on.work, () => on.run(task).then(() => ({ status: 0 }))));
      }
      await on.close();
      costs.push(ofStore);
    }
  }, WITHIN_MS);

  describe('a task at intervals on a store with four times as many rows', () => {
    it.each(tasks)('takes work in proportion to its task: %s', (task, hasMore) => {
      const [less, more] = costs.slice(1).map((each) => each.get(task));
      if (less === undefined || more === undefined) throw new Error('was not run');
      expect(growthFaults([less, more], hasMore ? LINEAR : FLAT, 0)).toEqual([]);
      const grown = (['operations', 'rows'] as const).filter((name) => more[name] > 2 * less[name]);
      if (hasMore) expect(grown).not.toEqual([]);
    });
  });
}

interface Growth {
  readonly stores: ReadonlyMap<string, CostPair>;
  readonly bodies: ReadonlyMap<string, CostPair>;
}

/** The costs of all rows on stores of two sizes by their names, and of bodies of two sizes as `bodies` names them. */
async function measureGrowth<Row extends CallerRow<string>, Service extends PopulatedService<Row>>({
  rows,
  populate,
  bodies,
}: GrowthOptions<Row, Service>): Promise<Growth> {
  const startCounting = (on: Service): void => {
    takeOperations();
    on.work();
  };
  const costsOn = async (on: Service): Promise<readonly RequestCost[]> => {
    const costs: RequestCost[] = [];
    startCounting(on);
    for (const [, row] of rows) costs.push(await costOf(on.work, () => on.send(row)));
    return costs;
  };
  // Code that runs for the first time is compiled and cached, so neither the first store nor the first body is counted.
  const warm = await populate(4 * SIZE);
  const ofBodies = new Map<string, CostPair>();
  for (const [route, make] of Object.entries(bodies)) {
    const row = (rows.find(([name]) => name === route) ?? rows.find(([, each]) => each.route === route))?.[1];
    if (make === null || row === undefined) continue;
    const cost = async (parts: number): Promise<RequestCost> => {
      const body = make(parts, warm);
      startCounting(warm);
      return costOf(warm.work, () => warm.send(row, body));
    };
    await warm.send(row, make(1, warm));
    ofBodies.set(route, [await cost(SIZE), await cost(4 * SIZE)]);
  }
  for (const [, row] of rows) await warm.send(row);
  await warm.close();
  const both: (readonly RequestCost[])[] = [];
  for (const each of [SIZE, 4 * SIZE]) {
    const on = await populate(each);
    both.push(await costsOn(on));
    await on.close();
  }
  const pairOf = (at: number): CostPair => {
    const [less, more] = both.map((costs) => costs[at]);
    if (less === undefined || more === undefined) throw new Error('was not sent');
    return [less, more];
  };
  return { stores: new Map(rows.map(([name], at) => [name, pairOf(at)])), bodies: ofBodies };
}

/** The costs that grew by more than `factor`, with both numbers; or the two statuses, where one was not expected. */
function growthFaults(pair: CostPair | undefined, factor: number, status: number): readonly string[] {
  if (pair === undefined) return ['was not sent'];
  const [less, more] = pair;
  const limits = { operations: BESIDE, statements: FEW, rows: FEW };
  return [
    ...(less.status === status && more.status === status ? [] : [`status: ${less.status}, ${more.status}`]),
    ...(['operations', 'statements', 'rows'] as const)
      .filter((name) => more[name] > less[name] * factor + limits[name])
      .map((name) => `${name}: ${less[name]}, ${more[name]}`),
  ];
}
