import type { PlanLimits } from '@cer/control-plane';
import { ServiceError } from '@cer/http-service';
import { repeat, type Logger } from '@cer/http-service/process';
import { wroteNothing, type QuotaStore } from '../store/index.js';
import { QuotaBlock, type QuotaUse } from './quota-block.js';
import { rateLimitHeaders } from '../auth/rate-limits.js';

/** One execution to admit. `Outcome` is the result for its caller. */
export interface PendingExecution<Outcome extends { readonly recorded: boolean }> {
  /** Stores it. Counted when the outcome has `recorded: true`; not counted otherwise. When it rejects, counted unless nothing was written. */
  readonly write: () => Promise<Outcome>;
  /** Finds its earlier record, which is free; null for none. Called when the quota is used up. */
  readonly recordedBefore: () => Promise<Outcome | null>;
}

/**
 * Admits executions up to the monthly quota of their tenant's plan, and counts them. Replays of stored records are free.
 * @see docs/spec.md, "Rate limits and quotas"
 */
export interface Quota {
  /**
   * Writes an execution while the quota has room for it.
   * @throws ServiceError QUOTA_EXCEEDED when it would be a new one, beyond the limit
   */
  admit<Outcome extends { readonly recorded: boolean }>(
    tenantId: string,
    limits: PlanLimits | undefined,
    execution: PendingExecution<Outcome>,
  ): Promise<Outcome>;
  /**
   * Call before costly work.
   * @param isRecorded called when the quota is used up: whether the execution is stored already
   * @throws ServiceError QUOTA_EXCEEDED when it could not be admitted now
   */
  assertRoom(tenantId: string, limits: PlanLimits | undefined, isRecorded: () => Promise<boolean>): Promise<void>;
  /** Returns this node's unused executions. */
  close(): Promise<void>;
}

export interface QuotaDeps {
  readonly quotas: QuotaStore;
  readonly now: () => Date;
  readonly logger: Logger;
  /** Called whenever the use of a quota was read from the database. */
  readonly noteUse?: (use: QuotaUse) => void;
}

/** Idle time after which a tenant's unused executions are returned. */
const IDLE_MS = 5000;

/** Maximum waits of an execution for pending ones before it is refused: with continuous replays some are always pending. */
const MAX_ROUNDS = 8;

interface Account {
  block: QuotaBlock;
  /** Pending executions: each may be a replay and return what it took. */
  readonly underWay: Set<Promise<unknown>>;
}

export function createQuota({ quotas, now, logger, noteUse }: QuotaDeps): Quota {
  const accounts = new Map<string, Account>();
  /** Pending returns of replaced blocks: closing waits for them. */
  const givingBack = new Set<Promise<void>>();

  const accountOf = (tenantId: string, limit: number): Account => {
    const month = now().toISOString().slice(0, 7);
    const account = accounts.get(tenantId);
    if (account === undefined) {
      const opened = {
        block: new QuotaBlock(quotas, tenantId, month, limit, noteUse),
        underWay: new Set<Promise<unknown>>(),
      };
      accounts.set(tenantId, opened);
      return opened;
    }
    if (account.block.month !== month || account.block.limit !== limit) {
      const returned = giveBack(account.block);
      givingBack.add(returned);
      void returned.then(() => givingBack.delete(returned));
      account.block = new QuotaBlock(quotas, tenantId, month, limit, noteUse);
    }
    return account;
  };

  const warnKept = (error: unknown): void => {
    logger.warn({ err: error }, 'executions of a quota could not be given back');
  };
  const giveBack = (block: QuotaBlock): Promise<void> => block.giveBack().catch(warnKept);

  const giveBackIdle = async (): Promise<void> => {
    for (const [tenantId, account] of accounts) {
      const { block, underWay } = account;
      // Another block may have replaced it concurrently, with executions in it.
      const isIdle = (await block.giveBackWhenIdle()) && underWay.size === 0;
      if (isIdle && account.block === block) accounts.delete(tenantId);
    }
  };
  const idling = repeat({ everyMs: IDLE_MS, task: giveBackIdle, onFailure: warnKept });

  const spend = async <Outcome extends { readonly recorded: boolean }>(
    { block, underWay }: Account,
    write: PendingExecution<Outcome>['write'],
  ): Promise<Outcome> => {
    const writing = write();
    underWay.add(writing);
    try {
      const outcome = await writing;
      if (!outcome.recorded) block.putBack();
      return outcome;
    } catch (error) {
      if (wroteNothing(error)) block.putBack();
      throw error;
    } finally {
      underWay.delete(writing);
    }
  };

  return {
    admit: async (tenantId, limits, { write, recordedBefore }) => {
      const limit = limits?.executionsPerMonth ?? null;
      if (limit === null) return write();
      const account = accountOf(tenantId, limit);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        if (await account.block.take()) return spend(account, write);
        // Those under way may be this very execution, or replays that put back what they took.
        const { size } = account.underWay;
        await Promise.allSettled(account.underWay);
        const replay = await recordedBefore();
        if (replay !== null) return replay;
        if (size === 0) break;
      }
      throw quotaExceeded(limit, now());
    },
    assertRoom: async (tenantId, limits, isRecorded) => {
      const limit = limits?.executionsPerMonth ?? null;
      if (limit === null) return;
      const { block } = accountOf(tenantId, limit);
      if (await block.take()) block.putBack();
      else if (!(await isRecorded())) throw quotaExceeded(limit, now());
    },
    close: async () => {
      await idling.stop();
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
