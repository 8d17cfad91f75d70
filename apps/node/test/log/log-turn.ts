import { join } from 'node:path';

import { TEST_NODE_ID } from '@cer/cer-core/testing';
import { createLogger } from '@cer/http-service/process';
import { openKeyVault } from '@cer/keys/file-signer';

import { askWitness, type AskWitness } from '../../src/log/witness-client.js';
import { sealedKeyHolder } from '../../src/signing-keys/sealed-key-holder.js';
import { openLog } from '../../src/start/open-log.js';
import { openStore, type LeaseStore } from '../../src/store/index.js';
import type { Database } from '../../src/store/sql/database.js';

export interface LogTurn {
  readonly databaseUrl: string;
  /** Has the keys of the log and its policy. */
  readonly keysFolder: string;
  readonly origin: string;
  /** The step at which the process ends, from 1. */
  readonly endsAt: number;
  /** Ends it: kills the process, or throws, and again at every later step. */
  readonly end: () => void;
}

/**
 * The work of a process for its log between two pauses. A step is each moment before a statement, within a transaction
 * too, after each commit, and before and after each request to a witness.
 * @returns whether the turn was over before it ended
 */
export async function takeLogTurn({ databaseUrl, keysFolder, origin, endsAt, end }: LogTurn): Promise<boolean> {
  let taken = 0;
  let isCounting = false;
  const step = (): void => {
    if (!isCounting) return;
    taken += 1;
    if (taken >= endsAt) end();
  };
  const ask: AskWitness = async (...request) => {
    step();
    const answer = await askWitness(...request);
    step();
    return answer;
  };
  const replaceDatabase = (database: Database): Database => stepping(database, step);
  const store = await openStore({ databaseUrl, queueLimit: 10, replaceDatabase });
  const logger = createLogger({ service: 'turn', level: 'silent' });
  const [isOver, leases] = untilReleased(store.leases);
  const setup = await openLog({
    config: {
      log: {
        origin,
        policyFile: join(keysFolder, 'policy.txt'),
        everyMs: 60 * 60_000,
        witnessEverySeconds: 0.02,
        epochEverySeconds: 0.001,
      },
      databaseUrl,
      makesRootKey: false,
      rootKeyFile: null,
    },
    store: { ...store, leases },
    holders: [sealedKeyHolder(openKeyVault(join(keysFolder, 'log-keys.json')))],
    history: { read: async () => ({ nodeId: TEST_NODE_ID, entries: [] }) },
    nodeId: TEST_NODE_ID,
    ask,
    now: () => new Date(),
    logger,
  });
  if (setup === null) throw new Error('the log was not opened');
  isCounting = true;
  const worker = setup.start({ assertAccepted: async () => undefined });
  await isOver;
  await worker.stop();
  isCounting = false;
  await store.close();
  return taken < endsAt;
}

/** A turn ends with the release of its lease; one that ends before has not acquired it. */
function untilReleased(leases: LeaseStore): readonly [Promise<void>, LeaseStore] {
  let over: () => void = () => undefined;
  const isOver = new Promise<void>((resolve) => (over = resolve));
  return [
    isOver,
    {
      acquire: async (...lease) => {
        try {
          const isHeld = await leases.acquire(...lease);
          if (!isHeld) over();
          return isHeld;
        } catch (error) {
          over();
          throw error;
        }
      },
      release: (...lease) => leases.release(...lease).finally(over),
    },
  ];
}

function stepping(database: Database, step: () => void): Database {
  return {
    dialect: database.dialect,
    writes: database.writes,
    all: async (sql, values) => {
      step();
      const rows = await database.all(sql, values);
      step();
      return rows;
    },
    transact: async (statements) => {
      // Values are read as their statement is due: those before it have run.
      const answers = await database.transact(
        statements.map((statement) => ({
          ...statement,
          get values() {
            step();
            return statement.values;
          },
        })),
      );
      step();
      return answers;
    },
    insertBatch: (records) => database.insertBatch(records),
    migrate: (migrations) => database.migrate(migrations),
    purgeErased: () => database.purgeErased(),
    compact: () => database.compact(),
    close: () => database.close(),
  };
}
