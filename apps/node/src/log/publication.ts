import type { Logger } from '@cer/http-service/process';
import type { LogPolicy, PolicyWitness } from '@cer/tlog';
import { EMPTY_FRONTIER, rootOfFrontier } from '@cer/tlog/merkle';
import { signCheckpoint } from '@cer/tlog/note';
import type { Store } from '../store/index.js';
import { signHead, withLines, type SignedHead } from './checkpoints.js';
import { treeOfLog } from './log-tree.js';
import type { OpenedLog } from './opened-log.js';
import type { AskWitness, WitnessAnswer } from './witness-client.js';

export interface PublicationDeps {
  readonly store: Pick<Store, 'log' | 'logEpochs' | 'logNotes'>;
  readonly policy: LogPolicy;
  readonly ask: AskWitness;
  readonly now: () => Date;
  readonly logger: Logger;
}

export interface Publication {
  /**
   * Whether the log may continue: no witness has seen more of it than the database has.
   * @returns false while too few witnesses answer; a log that was rolled back is halted
   */
  mayGoOn(log: OpenedLog): Promise<boolean>;
  /** Signs the newest head, asks the witnesses, and publishes it with their quorum. */
  publish(log: OpenedLog): Promise<void>;
}

/** The same size is cosigned again after this time, so that its newest cosignature is never older. */
const FRESH_FOR_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** @see docs/spec.md, "Transparency log" */
export function createPublication({ store, policy, ask, now, logger }: PublicationDeps): Publication {
  const pauses = new Map<string, { readonly untilMs: number; readonly ms: number; readonly answer: WitnessAnswer }>();

  const submit = async (
    log: OpenedLog,
    witness: PolicyWitness,
    { size, note }: SignedHead,
    oldSize: number,
  ): Promise<WitnessAnswer> => {
    const path = oldSize === 0 ? [] : await treeOfLog(store, log.row, size).consistencyPath(oldSize, size);
    return await ask(witness, { oldSize, proof: path, note });
  };

  /** One witness, from the size that it knows. */
  const cosigned = async (log: OpenedLog, witness: PolicyWitness, head: SignedHead): Promise<WitnessAnswer> => {
    const { logId, origin } = log.row;
    const pauseOf = `${origin} ${witness.name}`;
    const pause = pauses.get(pauseOf);
    if (pause !== undefined && pause.untilMs > performance.now()) return pause.answer;
    const known = await store.logNotes.witnessed(logId, witness.key.name);
    let answer = await submit(log, witness, head, Math.min(known, head.size));
    if (answer.status === 'size' && answer.size <= head.size) answer = await submit(log, witness, head, answer.size);
    if (answer.status === 'cosigned') await store.logNotes.noteWitnessed(logId, witness.key.name, head.size);
    if (answer.status === 'later' || answer.status === 'unknown') {
      const ms = Math.min((pause?.ms ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
      pauses.set(pauseOf, { untilMs: performance.now() + ms, ms, answer });
      const reason = answer.status === 'later' ? answer.reason : 'it does not know the log: give it the key of the log';
      logger.warn({ witness: witness.name, log: origin, reason }, 'a witness did not cosign');
    } else {
      pauses.delete(pauseOf);
    }
    return answer;
  };

  /** A witness that has seen a larger or a different tree halts the log. */
  const haltOn = async (log: OpenedLog, answers: readonly WitnessAnswer[]): Promise<boolean> => {
    const { logId, origin } = log.row;
    const { size } = await store.log.head(logId);
    const isAhead = answers.some((answer) => answer.status === 'size' && answer.size > size);
    const isFork = answers.some(({ status }) => status === 'fork');
    if (!isAhead && !isFork) return false;
    const code = isFork ? 'LOG_FORK' : 'LOG_ROLLED_BACK';
    await store.log.halt(logId, code);
    logger.fatal({ log: origin, code }, 'the log was halted: witnesses have seen another history than the database');
    return true;
  };

  const askAll = async (log: OpenedLog, head: SignedHead) => {
    const answers = await Promise.all(
      policy.witnesses.map(async (witness) => ({ witness, answer: await cosigned(log, witness, head) })),
    );
    const isHalted = await haltOn(
      log,
      answers.map(({ answer }) => answer),
    );
    return { answers, isHalted };
  };

  return {
    mayGoOn: async (log) => {
      const { logId } = log.row;
      if ((await store.log.head(logId)).halted !== null) return false;
      const newest = (await store.logNotes.newest(logId)) ?? (await firstNote(store, log));
      const { answers, isHalted } = await askAll(log, newest);
      const answered = answers.filter(({ answer }) => answer.status !== 'later').map(({ witness }) => witness.name);
      return !isHalted && policy.isMet(new Set(answered));
    },

    publish: async (log) => {
      const { logId } = log.row;
      const published = await store.logNotes.newestPublished(logId);
      const { size } = await store.log.head(logId);
      // Not one from before the clock was set back.
      const isFresh = published !== null && Math.abs(now().getTime() - published.freshMs) < FRESH_FOR_MS;
      if (published?.size === size && isFresh) return;
      const head = await signHead(store, log);
      if (head === null) return;
      const { answers, isHalted } = await askAll(log, head);
      if (isHalted) return;
      const willing = answers.flatMap(({ witness, answer }) =>
        answer.status === 'cosigned' ? [{ name: witness.name, lines: answer.lines }] : [],
      );
      if (!policy.isMet(new Set(willing.map(({ name }) => name)))) return;
      const note = withLines(
        head.note,
        willing.flatMap(({ lines }) => lines),
      );
      await store.logNotes.publish(logId, head.size, note, now().getTime());
    },
  };
}

/** The empty tree, which is a beginning of every log: so a witness can be asked before anything is signed. */
async function firstNote(store: PublicationDeps['store'], log: OpenedLog): Promise<SignedHead> {
  const { logId, origin } = log.row;
  const root = rootOfFrontier(EMPTY_FRONTIER);
  const note = await signCheckpoint({ origin, size: 0, root }, log.key, await log.signer());
  return { size: 0, note: await store.logNotes.keep(logId, 0, note) };
}
