import { TlogError, type PolicyKey } from '@cer/tlog';
import { EPOCHS_SUFFIX, parseEpoch, type Epoch } from '@cer/tlog/epoch';
import { equalBytes } from '@cer/tlog/merkle';
import { formatVkey } from '@cer/tlog/note';
import type { Io } from '../io.js';
import type { Alarm } from './alarm.js';
import { compareWitnesses } from './compare-witnesses.js';
import { followLog, isAlarm, type Turn, type TurnHooks } from './follow-log.js';
import { keepFollowed, readFollowed, type Followed } from './followed-log.js';
import { logAt } from './log-source.js';
import type { PinnedLogPolicy } from './log-policy.js';

/** The followed logs, and limits. */
export interface Watched {
  /** Of the node; logs with an address in the policy are read there. */
  readonly node: string;
  readonly logPolicy: PinnedLogPolicy;
  readonly mmdSeconds: number;
  /** Time for each answer, in ms. */
  readonly maxMs: number;
  readonly onTile?: (log: PolicyKey, ...tile: Parameters<NonNullable<TurnHooks['onTile']>>) => Promise<void>;
}

/** Bytes of an entry of the receipts log. */
const ENTRY_BYTES = 33;

/** The result of one turn over all logs of a policy. */
export interface WatchedTurn {
  readonly alarms: readonly Alarm[];
  /** The checked checkpoints by origin. */
  readonly turns: ReadonlyMap<string, Turn>;
  /** Those that the next turn builds on: without a fault of their content, and the same for all witnesses. */
  readonly accepted: ReadonlyMap<string, Turn>;
}

/**
 * Follows every log of the policy by one step; accepted checkpoints are stored, and any other is compared again in the
 * next turn.
 */
export async function watchLogs(watched: Watched, io: Io): Promise<WatchedTurn> {
  const { logs } = watched.logPolicy.policy;
  const turns = new Map<string, Turn>();
  const accepted = new Map<string, Turn>();
  const alarms: Alarm[] = [];
  // The epochs commit to the receipts log, which is therefore read first.
  const ordered = [...logs].sort((one, other) => Number(isEpochs(one)) - Number(isEpochs(other)));
  for (const log of ordered) {
    const known = await readFollowed(formatVkey(log.key), io.env);
    const epochs = isEpochs(log) ? new EpochEntries(known) : null;
    const turn = await followLog(
      log.key.name,
      logAt(addressOf(log, watched.node), watched.maxMs),
      watched.logPolicy.policy,
      known,
      hooksOf(log, epochs, watched),
    );
    if (isAlarm(turn)) {
      alarms.push(turn);
      continue;
    }
    const found = await judgeTurn(turn, epochs, turns, watched, io.now());
    alarms.push(...found);
    turns.set(log.key.name, turn);
    if (found.some(({ code }) => code === 'LOG_SPLIT_VIEW' || code === 'LOG_CONTENT_INVALID')) continue;
    const { note, checkpoint } = turn;
    await keepFollowed(formatVkey(log.key), { note, checkpoint, epochEnd: epochs?.end ?? null }, io);
    accepted.set(log.key.name, turn);
  }
  return { alarms, turns, accepted };
}

function isEpochs({ key }: PolicyKey): boolean {
  return key.name.endsWith(EPOCHS_SUFFIX);
}

/** Where a log is read: the address in the policy, else its place below the node. */
export function addressOf(log: PolicyKey, node: string): string {
  return (log.url ?? `${node}/log${isEpochs(log) ? EPOCHS_SUFFIX : ''}`).replace(/\/+$/, '');
}

function hooksOf(log: PolicyKey, epochs: EpochEntries | null, { onTile }: Watched): TurnHooks {
  return {
    onEntry: (index, entry) => {
      if (epochs !== null) return epochs.add(index, entry);
      return entry.length === ENTRY_BYTES ? null : `entry ${String(index)} has another length than a receipt's`;
    },
    ...(onTile !== undefined && { onTile: (name, bytes) => onTile(log, name, bytes) }),
  };
}

async function judgeTurn(
  turn: Turn,
  epochs: EpochEntries | null,
  turns: ReadonlyMap<string, Turn>,
  { logPolicy, mmdSeconds, maxMs }: Watched,
  now: Date,
): Promise<readonly Alarm[]> {
  const { origin } = turn.checkpoint;
  const staleBefore = now.getTime() / 1000 - 2 * mmdSeconds;
  const alarms: Alarm[] = [];
  if (turn.newestCosignature !== null && turn.newestCosignature < staleBefore) {
    const detail = `no witness has cosigned since ${new Date(turn.newestCosignature * 1000).toISOString()}`;
    alarms.push({ code: 'LOG_STALE', origin, detail, evidence: [turn.note] });
  }
  const fault = await epochs?.faultAgainst(turns.get(origin.slice(0, -EPOCHS_SUFFIX.length)));
  if (fault != null) alarms.push({ code: 'LOG_CONTENT_INVALID', origin, detail: fault, evidence: [turn.note] });
  alarms.push(...(await compareWitnesses(turn, logPolicy.policy, staleBefore, maxMs)));
  return alarms;
}

/** New entries of an epochs log: each at its place, after the one before, over the receipts log as it is. */
class EpochEntries {
  readonly #epochs: Epoch[] = [];
  #end: string | null;

  constructor(known: Followed | null) {
    this.#end = known?.epochEnd ?? null;
  }

  get end(): string | null {
    return this.#end;
  }

  add(index: number, entry: Uint8Array): string | null {
    let epoch: Epoch;
    try {
      epoch = parseEpoch(entry);
    } catch (error) {
      if (error instanceof TlogError) return `entry ${String(index)}: ${error.message}`;
      throw error;
    }
    if (epoch.epoch !== index) return `entry ${String(index)} is the epoch of another place`;
    if (this.#end !== null && epoch.from !== this.#end)
      return `epoch ${String(index)} does not begin where the last ends`;
    this.#end = epoch.to;
    this.#epochs.push(epoch);
    return null;
  }

  /** Whether the receipts log had the roots that the epochs state. */
  async faultAgainst(receipts: Turn | undefined): Promise<string | null> {
    if (receipts === undefined) return null;
    for (const { epoch, log } of this.#epochs) {
      if (log.size > receipts.checkpoint.size) continue;
      if (!equalBytes(await receipts.tree.rootAt(log.size), log.root)) {
        return `epoch ${String(epoch)} states another root of the receipts log`;
      }
    }
    return null;
  }
}
