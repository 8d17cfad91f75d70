import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { settleWithin } from '@cer/http-service';
import { OperatorError, type Logger, type RunningServer } from '@cer/http-service/process';
import { Channel } from './channel.js';
import { CountedMetrics } from './counted-metrics.js';
import { ASK, Everyone, Listening } from './questions.js';
import { SharedState } from './shared-state.js';

/** A worker that ended sooner is replaced after a pause. */
const SHORT_LIFE_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Time within which a closing worker has closed its end of the port, in ms. */
const PORT_CLOSED_MS = 1_000;
/** Shorter than the timeout of probes and scrapes. */
const ANSWER_WITHIN_MS = 3_000;

/** No worker serves any more, or one failed while it closed. */
export class WorkersEndedError extends OperatorError {
  override readonly name = 'WorkersEndedError';
}

export interface WorkersOptions {
  readonly size: number;
  readonly logger: Logger;
  /** Called when no worker serves and none can be started: the process should end. */
  readonly onLost: (error: WorkersEndedError) => void;
}

interface Member {
  readonly worker: Worker;
  readonly channel: Channel;
  readonly startedAt: number;
  url: string | null;
}

/**
 * Runs a node in several processes. This process gives them the connections of one port in turn, shares limits and the
 * write lock, and opens neither the database nor a key. A worker that ends is replaced.
 */
export async function startWorkers({ size, logger, onLost }: WorkersOptions): Promise<RunningServer> {
  // One after the other: on a socket that all listen on, one worker gets most of the connections that come at once.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ serialization: 'advanced' });
  const shared = new SharedState();
  const members = new Map<number, Member>();
  const metrics = new CountedMetrics<Channel>();
  const recipients: Recipients = new WeakMap();
  const closing = new AbortController();
  const isClosing = (): boolean => closing.signal.aborted;

  /** Resolves with the worker's address when it listens. */
  const start = (index: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork();
      const channel = new Channel({
        send: (message, sent) => {
          worker.send(message, sent);
        },
        onMessage: (listener) => worker.on('message', listener),
      });
      const member: Member = { worker, channel, startedAt: performance.now(), url: null };
      members.set(index, member);
      const giveBack = shared.serve(channel);
      const endConnection = connectionOnItsWay(worker, recipients, isClosing);
      channel.on(ASK.join, () => ({ index, size }));
      channel.on(ASK.everyone, (asked) => askEveryone(asked, [...members.values()], metrics, size));
      channel.on(ASK.listening, (noted) => {
        const { url } = Listening.parse(noted);
        member.url = url;
        logger.info({ worker: index, pid: worker.process.pid }, 'a worker listens');
        resolve(url);
      });
      // An error of sending: the end of the worker follows.
      worker.on('error', (error) => {
        logger.warn({ err: error, worker: index }, 'a worker cannot be reached');
      });
      worker.once('exit', (code, signal) => {
        members.delete(index);
        channel.end();
        giveBack();
        endConnection();
        void metrics.end(channel);
        if (member.url === null)
          reject(
            new WorkersEndedError(
              `a worker ended before it listened (${worker.process.signalCode ?? worker.process.exitCode})`,
            ),
          );
        else if (!isClosing()) {
          logger.error({ worker: index, pid: worker.process.pid, code, signal }, 'a worker ended and is replaced');
          void replace(index, performance.now() - member.startedAt < SHORT_LIFE_MS ? FIRST_PAUSE_MS : 0);
        }
      });
    });

  const replace = async (index: number, firstPauseMs: number): Promise<void> => {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * 2))) {
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (isClosing()) return;
      try {
        await start(index);
        return;
      } catch {
        if (isClosing()) return;
        if (![...members.values()].some(({ url }) => url !== null)) {
          onLost(new WorkersEndedError('every worker ended, and none can be started'));
          return;
        }
        logger.error({ worker: index }, 'a worker could not be started; it is tried again');
      }
    }
  };

  const close = async (): Promise<void> => {
    closing.abort();
    await endAll([...members.values()]);
  };

  try {
    // The first worker starts alone, because it creates missing files at a first start.
    const url = await start(0);
    await Promise.all(Array.from({ length: size - 1 }, (_, index) => start(index + 1)));
    logger.info({ url, workers: size }, 'all workers listen');
    let ended: Promise<void> | undefined;
    return { url, close: () => (ended ??= close()) };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

/** Asks the workers that serve. One that does not answer in time has its last metrics counted. */
async function askEveryone(
  asked: unknown,
  members: readonly Member[],
  metrics: CountedMetrics<Channel>,
  size: number,
): Promise<object> {
  const { name } = Everyone.parse(asked);
  const serving = members.filter(({ url }) => url !== null);
  let silent = 0;
  const answers = await Promise.all(
    serving.map(async ({ channel }) => {
      try {
        const tooSlow = (): Error => new Error('a worker takes too long');
        const answer = await settleWithin(channel.ask(name), ANSWER_WITHIN_MS, tooSlow);
        return name === ASK.metrics ? [metrics.note(channel, answer)] : [answer];
      } catch {
        silent += 1;
        return name === ASK.metrics ? [metrics.lastOf(channel)] : [];
      }
    }),
  );
  const ended = name === ASK.metrics ? [metrics.ended()] : [];
  return { answers: [...answers.flat(), ...ended], silent, missing: size - serving.length };
}

/** Lets every worker finish its requests. @throws WorkersEndedError when one of them failed */
async function endAll(members: readonly Member[]): Promise<void> {
  const ends = await Promise.all(
    members.map(async ({ worker, url }) => {
      // Not `once`, which an error of sending would end.
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.process.kill('SIGTERM');
      await ended;
      // A worker that does not serve yet has no requests to finish.
      return url === null || worker.process.exitCode === 0;
    }),
  );
  if (ends.includes(false)) throw new WorkersEndedError('a worker failed while it closed');
}

/** The worker that got the last connection. */
type Recipients = WeakMap<object, Worker>;

/**
 * The cluster module gives a worker the next connection when it has taken the last one, and forgets two kinds: one that a
 * worker did not take before it ended, and one that a worker refused because it closes, when no other worker is left to
 * take it. Their clients would wait.
 * @returns ends a connection of the first kind; those of the second end by themselves
 */
function connectionOnItsWay(worker: Worker, recipients: Recipients, isClosing: () => boolean): () => void {
  const send = worker.process.send.bind(worker.process);
  let last: Closable | undefined;
  Object.assign(worker.process, {
    send: (...args: Parameters<typeof send>) => {
      const handle: unknown = args[1];
      if (isClosable(handle)) {
        last = handle;
        recipients.set(handle, worker);
      }
      return send(...args);
    },
  });
  worker.process.on('internalMessage', (message: unknown) => {
    const refused = last;
    if (!isClosing() || refused === undefined || !isRefusal(message)) return;
    setTimeout(() => {
      if (recipients.get(refused) === worker) refused.close();
    }, PORT_CLOSED_MS).unref();
  });
  // This process has closed its own end of a connection that the worker took: then this does nothing.
  return () => last?.close();
}

interface Closable {
  close(): void;
}

function isClosable(handle: unknown): handle is Closable {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}

/** The answer of a worker that no longer listens. */
function isRefusal(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'accepted' in message && message.accepted === false;
}
