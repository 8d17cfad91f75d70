import { existsSync } from 'node:fs';
import type { Logger } from '@cer/http-service/process';
import { jwkThumbprint, publicKeyFromBase64 } from '@cer/keys';
import { openRootFile } from '@cer/keys/file-signer';
import { StartupError } from '../errors/startup-error.js';
import { beginLog, openLogs, openRow } from '../log/begin-log.js';
import { chainHeads } from '../log/chain-heads.js';
import { createEpochs } from '../log/epochs.js';
import { readLogPolicy } from '../log/log-policy.js';
import { signStatement } from '../log/log-statement.js';
import { startLog } from '../log/log-worker.js';
import { createNodeLog, type NodeLog } from '../log/node-log.js';
import type { OpenedLogs } from '../log/opened-log.js';
import { createPublication, type Publication } from '../log/publication.js';
import { createSequencer, type Sequencer } from '../log/sequencer.js';
import { tenantTags } from '../log/stored-leaf.js';
import type { AskWitness } from '../log/witness-client.js';
import type { RestoredStore } from '../restore-mark/restored-store.js';
import type { SigningKeyHolder } from '../signing/key-holder.js';
import type { KeyHistoryLog } from '../signing-keys/key-history-log.js';
import type { LogRow, Store } from '../store/index.js';
import type { Worker } from '../worker/worker.js';
import type { NodeConfig } from './config.js';

export interface LogSetupDeps {
  readonly config: Pick<NodeConfig, 'log' | 'databaseUrl' | 'makesRootKey' | 'rootKeyFile'>;
  readonly store: Store;
  readonly holders: readonly SigningKeyHolder[];
  readonly history: Pick<KeyHistoryLog, 'read'>;
  readonly nodeId: string;
  readonly ask: AskWitness;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** The transparency log of a node. */
export interface LogSetup {
  readonly log: NodeLog;
  readonly sequencer: Sequencer;
  readonly publication: Publication;
  readonly start: (restored: RestoredStore) => Worker;
}

/** Leaves of one transaction: SQLite answers no request while it writes. */
const BATCH_LIMIT = { sqlite: 512, postgres: 4096 };

/**
 * Opens the log of LOG_ORIGIN; in development a first start begins it.
 * @returns null without LOG_ORIGIN
 * @throws StartupError for another origin than the open log has, and for an open log without LOG_ORIGIN
 */
export async function openLog(deps: LogSetupDeps): Promise<LogSetup | null> {
  const { config, store, holders, history, nodeId, ask, now, logger } = deps;
  const logs = await openedLogs(deps);
  if (logs === null || config.log === null) return null;
  const { everyMs, epochEverySeconds, witnessEverySeconds, policyFile } = config.log;
  const policy = readLogPolicy(policyFile);
  if (config.rootKeyFile !== null && existsSync(config.rootKeyFile)) {
    const statement = { logNotes: store.logNotes, rows: await store.log.logs(), nodeId };
    await signStatement(statement, openRootFile(config.rootKeyFile), now());
  }
  const tagOf = tenantTags(nodeId);
  const sequencer = createSequencer({
    log: logs.receipts,
    store: store.log,
    tagOf,
    batchLimit: BATCH_LIMIT[config.databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgres'],
  });
  const publication = createPublication({ store, policy, ask, now, logger });
  const chains = () => chainHeads(store.audit, history);
  const epochs = createEpochs({ logs, store, nodeId, tagOf, chains, now, everyMs: epochEverySeconds * 1000 });
  const publishEveryMs = policy.witnesses.length === 0 ? 0 : witnessEverySeconds * 1000;
  return {
    log: createNodeLog(store, logs, nodeId),
    sequencer,
    publication,
    start: (restored) =>
      startLog({ store, logs, sequencer, epochs, publication, restored, everyMs, publishEveryMs, logger }),
  };

  function openKey(row: LogRow): ReturnType<SigningKeyHolder['open']> {
    const holder = holders.find(({ name }) => name === row.holder);
    if (holder === undefined) throw new StartupError(`SIGNER: the key of the log is held by ${row.holder}`);
    const publicKey = publicKeyFromBase64(row.publicKey);
    return holder.open({ kid: jwkThumbprint(publicKey), publicKey, reference: row.reference });
  }

  async function openedLogs({ config: { log, makesRootKey } }: LogSetupDeps): Promise<OpenedLogs | null> {
    const rows = await store.log.logs();
    const open = openRow(rows, 'receipts');
    if (log === null) {
      if (open === undefined) return null;
      throw new StartupError(
        'LOG_ORIGIN: is not set, and the database has an open log in which every receipt is promised to be. Set it, or close the log with `log close`',
      );
    }
    if (open === undefined) {
      const [holder] = holders;
      if (!makesRootKey || holder === undefined) {
        throw new StartupError('LOG_ORIGIN: the database has no open log. Begin it with `log init`');
      }
      if (!(await beginLog(store.log, log.origin, holder, now()))) {
        throw new StartupError('LOG_ORIGIN: a closed log had this name; choose another one');
      }
      return await openedLogs(deps);
    }
    const epochs = openRow(rows, 'epochs');
    if (open.origin !== log.origin || epochs === undefined) {
      throw new StartupError('LOG_ORIGIN: the open log of the database has another name. Set its name, or close it');
    }
    return openLogs({ receipts: open, epochs }, openKey);
  }
}
