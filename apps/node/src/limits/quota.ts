import { ServiceError, type Logger } from '@cer/http-service';
import type { PlanLimits } from '../auth/key-directory.js';
import type { NewRecord, QuotaStore, RecordOutcome, RecordStore } from '../store/index.js';
import { QuotaBlock } from './quota-block.js';
import { rateLimitHeaders } from '../auth/rate-limits.js';

/**
 * Limits records to the monthly quota of their tenant's plan. Replays of stored records are free.
 * @see docs/spec.md, "Rate limits and quotas"
 */
export interface Quota {
  /**
   * Stores a record, like `recordOnce`.
   * @throws ServiceError QUOTA_EXCEEDED when it would be a new one, beyond the limit
   */
  record(record: NewRecord, limits: PlanLimits | undefined): Promise<RecordOutcome>;
  /** Call before costly work. @throws ServiceError QUOTA_EXCEEDED when a record of this id would exceed the quota */
  assertRoomFor(tenantId: string, executionId: string, limits: PlanLimits | undefined): Promise<void>;
  /** Returns this node's unused executions. */
  close(): Promise<void>;
}

export interface QuotaDeps {
  readonly records: Pick<RecordStore, 'recordOnce' | 'findExecution' | 'findOwnByHash'>;
  readonly quotas: QuotaStore;
  readonly now: () => Date;
  readonly logger: Logger;
}

/** Idle time after which a tenant's unused executions are returned. */
const IDLE_MS = 5000;

/** Maximum waits of a record for pending ones before it is refused: with continuous replays some are always pending. */
const MAX_ROUNDS = 8;

interface Account {
  block: QuotaBlock;
  /** Pending records: each may be a replay and return its execution. */
  readonly underWay: Set<Promise<unknown>>;
}

export function createQuota({ records, quotas, now, logger }: QuotaDeps): Quota {
  const accounts = new Map<string, Account>();
  /** Pending returns of replaced blocks: closing waits for them. */
  const givingBack = new Set<Promise<void>>();

  const accountOf = (tenantId: string, limit: number): Account => {
    const month = now().toISOString().slice(0, 7);
    const account = accounts.get(tenantId);
    if (account === undefined) {
      const opened = { block: new QuotaBlock(quotas, tenantId, month, limit), underWay: new Set<Promise<unknown>>() };
      accounts.set(tenantId, opened);
      return opened;
    }
    if (account.block.month !== month || account.block.limit !== limit) {
      const returned = giveBack(account.block);
      givingBack.add(returned);
      void returned.then(() => givingBack.delete(returned));
      account.block = new QuotaBlock(quotas, tenantId, month, limit);
    }
    return account;
  };

  const giveBack = (block: QuotaBlock): Promise<void> =>
    block.giveBack().catch((error: unknown) => {
      logger.warn({ err: error }, 'executions of a quota could not be given back');
    });

  const giveBackIdle = async (): Promise<void> => {
    for (const [tenantId, account] of accounts) {
      const { block, underWay } = account;
      // Another block may have replaced it concurrently, with executions in it.
      const isIdle = (await block.giveBackWhenIdle()) && underWay.size === 0;
      if (isIdle && account.block === block) accounts.delete(tenantId);
    }
  };
  const idling = setInterval(() => {
    giveBackIdle().catch((error: unknown) => {
      logger.warn({ err: error }, 'executions of a quota could not be given back');
    });
  }, IDLE_MS).unref();

  const spend = async ({ block, underWay }: Account, record: NewRecord): Promise<RecordOutcome> => {
    const recording = records.recordOnce(record);
    underWay.add(recording);
    try {
      const outcome = await recording;
      if (!outcome.recorded) block.putBack();
      return outcome;
    } catch (error) {
      block.putBack();
      throw error;
    } finally {
      underWay.delete(recording);
    }
  };

  const replayOf = async ({
    tenantId,
    executionId,
    certificateHash,
    kind,
  }: NewRecord): Promise<RecordOutcome | null> => {
    if (executionId === null) {
      const record = await records.findOwnByHash(tenantId, certificateHash, kind);
      return record === null ? null : { recorded: false, existing: null, record };
    }
    const found = await records.findExecution(tenantId, executionId);
    return found === null ? null : { recorded: false, existing: found.execution, record: found.record };
  };

  return {
    record: async (record, limits) => {
      const limit = limits?.executionsPerMonth ?? null;
      if (limit === null) return records.recordOnce(record);
      const account = accountOf(record.tenantId, limit);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        if (await account.block.take()) return spend(account, record);
        // Pending records may be this same execution, or replays that return theirs.
        const { size } = account.underWay;
        await Promise.allSettled(account.underWay);
        const replay = await replayOf(record);
        if (replay !== null) return replay;
        if (size === 0) break;
      }
      throw quotaExceeded(limit, now());
    },
    assertRoomFor: async (tenantId, executionId, limits) => {
      const limit = limits?.executionsPerMonth ?? null;
      if (limit === null) return;
      const { block } = accountOf(tenantId, limit);
      if (await block.take()) block.putBack();
      else if ((await records.findExecution(tenantId, executionId)) === null) throw quotaExceeded(limit, now());
    },
    close: async () => {
      clearInterval(idling);
      // Without the database they are lost, as with a killed node; the rest of the node still closes in order.
      await Promise.all([...givingBack, ...[...accounts.values()].map(({ block }) => giveBack(block))]);
    },
  };
}

function quotaExceeded(limit: number, now: Date): ServiceError {
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const resetSeconds = Math.max(1, Math.ceil((nextMonth - now.getTime()) / 1000));
  return new ServiceError({
    code: 'QUOTA_EXCEEDED',
    message: 'the executions of this month are used up',
    headers: { ...rateLimitHeaders({ limit, remaining: 0, resetSeconds }), 'retry-after': String(resetSeconds) },
  });
}
