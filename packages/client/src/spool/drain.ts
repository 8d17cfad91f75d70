import { textOf, type JsonMembers } from '../json.js';
import { LONGEST_TIMER_MS } from '../longest-timer.js';
import { isRetryable, retryDelay } from '../node-api/retry.js';
import { NodeError } from '../node-api/node-error.js';
import type { LineResult } from '../node-api/lines.js';
import { Narrowing } from './narrowing.js';
import { createPostponed, type Held, type Postponed } from './postponed.js';
import { isProject, sealedHash, type Batch, type Spool } from './spool.js';

/** Maximum bundles of one request. */
const BATCH_LINES = 200;

/**
 * Growth of the most bundles of a request with each that fits. Slow: a limit of a proxy stays, and a size that doubles
 * would meet it in every other request.
 */
const GROWTH = 1.05;

/** The status of a request whose body is too large, and of a bundle with which the node has a fault of its own. */
const TOO_LARGE = 413;
const INTERNAL_ERROR = 500;

/** The status of a request that is one too many at this time, whatever it has. */
const TOO_MANY = 429;

/** Its multiples, without their integer parts, are spread evenly between 0 and 1. */
const GOLDEN_RATIO = 0.618;

/**
 * Maximum milliseconds of silence in a request after a success; doubled by each failure in a row. A request keeps the
 * program from ending, and a node that is well starts its answer at once.
 */
const FIRST_SILENCE_MS = 2000;

/** Maximum results handled in one turn of the event loop, in which no call of the program advances. */
const RESULTS_PER_TURN = 2;

/** Maximum milliseconds that a node can ask to wait. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** How long a request may take, and the signal that ends it. */
export interface Patience {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface DrainDeps {
  readonly spools: readonly Spool[];
  /** One request, without retries; results in order, as they arrive. */
  readonly attest: (texts: readonly string[], patience: Patience) => AsyncIterable<LineResult>;
  readonly register: (project: string, patience: Patience) => Promise<LineResult>;
  /** Maximum milliseconds of one request. */
  readonly timeoutMs: number;
  readonly attested: (answer: JsonMembers) => void;
  readonly registered: (answer: JsonMembers) => void;
  readonly dead: (bundle: string, code: string) => void;
  readonly failed: (error: unknown) => void;
  readonly random: () => number;
  /** Lets other work of the program run. */
  readonly turn: () => Promise<void>;
  readonly unref: (timer: ReturnType<typeof setTimeout>) => void;
}

export interface Drain {
  /** Starts sending the waiting bundles, unless sending is in progress. */
  start(): void;
  /** Sends now and waits. @returns when nothing waits, or after `timeoutMs` */
  flush(timeoutMs: number): Promise<void>;
  /** Stops sending; a request that is under way ends. */
  stop(): void;
}

interface Queue {
  readonly spool: Spool;
  readonly narrowing: Narrowing;
}

/** A batch that is being sent. */
interface Sending extends DrainDeps, Queue {
  readonly batch: Batch;
  /** Projects that were moved behind calls that wait. */
  readonly moved: Set<string>;
  readonly postponed: Postponed;
  /** Whether the request before it brought no bundle to the node. */
  readonly hasFailed: boolean;
}

/** Sends sealed bundles to the node. A bundle that was sent twice is one certificate: its `executionId` says so. */
export function createDrain(deps: DrainDeps): Drain {
  const moved = new Set<string>();
  const postponed = createPostponed(deps.failed, deps.spools.at(-1));
  const queues: readonly Queue[] = deps.spools.map((spool) => ({ spool, narrowing: new Narrowing() }));
  let running: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  // In a row, and those of the bundles that were set apart, whose pauses hold up no other.
  let failures = 0;
  let failuresApart = 0;
  // When these may be sent, not as the time of day, which may be set.
  let apartAt = 0;
  let isPauseOfApart = false;
  let isStartedWithin = false;
  let most = BATCH_LINES;
  let isStopped = false;
  let request = new AbortController();

  const waits = (): boolean => deps.spools.some(({ waiting }) => waiting > 0);

  const wakeAfter = (delay: number, isOfApart: boolean): void => {
    if (timer !== null) clearTimeout(timer);
    isPauseOfApart = isOfApart;
    timer = setTimeout(() => {
      timer = null;
      run();
    }, delay);
    deps.unref(timer);
  };

  const later = (retryAfterMs: number | null, isOfApart: boolean): void => {
    const attempt = isOfApart ? failuresApart : failures;
    const delay = retryDelay(attempt, retryAfterMs, deps.random) ?? Math.min(retryAfterMs ?? 0, MAX_WAIT_MS);
    if (isOfApart) apartAt = performance.now() + delay;
    if (isStopped || (timer !== null && (isOfApart || !isPauseOfApart))) return;
    wakeAfter(delay, isOfApart);
  };

  /**
   * Sends a batch, and what it takes to find out that its one bundle is at fault, which is then set apart.
   * @throws NodeError when the rest of the batch must be sent later
   */
  const sendBatch = async (sending: Sending, patience: Patience): Promise<void> => {
    try {
      most = await sendWhereItFits(sending, most, patience);
    } catch (error) {
      if (!(error instanceof NodeError) || asksToWait(error)) throw error;
      const { spool, batch, narrowing } = sending;
      const [text = '', ...others] = oneRequest(batch.texts, postponed);
      if (postponed.isApart(text)) {
        // Another one of these is next.
        if (spool.waiting > 1) postponed.moveApart(sending, text);
        throw error;
      }
      const comparison = narrowing.failed(1 + others.length);
      if (comparison === 0) throw error;
      const other = await anotherThan(text, sending, comparison);
      if (other === null) throw error;
      if (!(await isTaken(other, sending, patience))) {
        // A request more than in other rounds; the pause behind it is longer.
        failures += 1;
        throw error;
      }
      await sendOrSetApart(sending, text, { ...patience, timeoutMs: deps.timeoutMs });
    }
    failures = 0;
  };

  /**
   * @param isLast sends the bundles that were set apart, else the others
   * @returns whether the next spool may be sent: a fault of this one's disk or of its bundles does not hold it up
   */
  const sendSpool = async ({ spool, narrowing }: Queue, isLast: boolean): Promise<boolean> => {
    const next = (): Promise<Batch | null> => spool.next(Math.floor(narrowing.most(most)));
    let moves = 0;
    try {
      for (let batch = await next(); batch !== null; batch = await next()) {
        if (isStopped) return false;
        const [first = ''] = batch.texts;
        const isApart = postponed.isApart(first);
        if (!isLast && isApart && spool.waiting > Math.max(1, moves)) {
          moves += 1;
          postponed.moveApart({ spool, batch }, first);
          continue;
        }
        if (isApart !== isLast) return true;
        const failed = isLast ? failuresApart : failures;
        const timeoutMs = Math.min(deps.timeoutMs, FIRST_SILENCE_MS * 2 ** Math.min(failed, 16));
        // One for each request: Node.js keeps a reference to each of those that depend on one that lives long.
        request = new AbortController();
        const patience = { timeoutMs, signal: request.signal };
        const hasFailed = failed > 0;
        await sendBatch({ ...deps, spool, narrowing, batch, moved, postponed, hasFailed }, patience);
        if (isLast) failuresApart = 0;
      }
      return true;
    } catch (error) {
      if (isStopped) return false;
      const fault = error instanceof HeldError ? error.fault : error;
      if (isLast) failuresApart += 1;
      else failures += 1;
      deps.failed(fault);
      later(fault instanceof NodeError ? fault.retryAfterMs : null, isLast);
      return !(error instanceof NodeError);
    }
  };
  const sendAll = async (): Promise<void> => {
    for (const queue of queues) {
      if (!(await sendSpool(queue, false))) return;
    }
    const rest = apartAt - performance.now();
    if (rest > 0) {
      if (timer === null && waits() && !isStopped) wakeAfter(rest, true);
      return;
    }
    // Each spool is the first one in turn.
    for (const queue of failuresApart % 2 === 0 ? queues : queues.toReversed()) {
      if (!(await sendSpool(queue, true))) return;
    }
  };

  const run = (): void => {
    if (isStopped || running !== null) return;
    isStartedWithin = false;
    running = sendAll().finally(() => {
      running = null;
      // Stored in one spool while another one was sent.
      if (timer === null ? waits() : isPauseOfApart && isStartedWithin) run();
    });
  };

  return {
    start: () => {
      isStartedWithin = true;
      if (timer === null || isPauseOfApart) run();
    },
    flush: async (timeoutMs) => {
      // Not the time of day, which may be set.
      const deadline = performance.now() + timeoutMs;
      while (waits() && !isStopped) {
        if (timer !== null) clearTimeout(timer);
        timer = null;
        apartAt = 0;
        run();
        await within(running, deadline);
        if (performance.now() >= deadline || !waits()) return;
        const delay = retryDelay(Math.min(Math.max(failures, failuresApart), 3), null, deps.random) ?? 0;
        await within(new Promise(() => undefined), Math.min(deadline, performance.now() + delay));
      }
    },
    stop: () => {
      isStopped = true;
      request.abort();
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

/**
 * A request that is too large for the node, or for a proxy before it, would be so each time.
 * A bundle that is too large by itself is given up.
 * @returns the most bundles of the next request
 * @throws NodeError as `send`
 */
async function sendWhereItFits(sending: Sending, most: number, patience: Patience): Promise<number> {
  const { batch } = sending;
  try {
    await send(sending, patience);
    return Math.min(BATCH_LINES, most * GROWTH);
  } catch (error) {
    if (!(error instanceof NodeError) || error.status !== TOO_LARGE) throw error;
    const [text = '', ...others] = oneRequest(batch.texts, sending.postponed);
    if (others.length > 0) return Math.ceil((1 + others.length) / 2);
    giveUp(sending, text, error.code);
    batch.acknowledge(1);
    // The others were refused with it.
    return BATCH_LINES;
  }
}

/** The node answered, but has a fault with bundles. Others may be sent. */
class HeldError extends Error {
  readonly fault: NodeError;
  constructor(fault: NodeError) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Whether an answer is about the time of a request, and says nothing of its bundles. */
function asksToWait({ status, retryAfterMs }: NodeError): boolean {
  return status === TOO_MANY || retryAfterMs !== null;
}

/**
 * Another bundle that waits, to compare with one that is alone in requests that fail. The next one keeps the order; where
 * it is at fault too, those that follow may be as well: the places of further ones are far from each other.
 * @param comparison its number, from 1
 */
async function anotherThan(text: string, sending: Sending, comparison: number): Promise<string | null> {
  const { spools, spool, postponed } = sending;
  const batch = await spool.next(BATCH_LINES);
  const texts = [...(batch?.texts ?? []), ...spools.flatMap((one) => one.heads())];
  const others = texts.filter((other) => other !== text && !postponed.isApart(other));
  return others[Math.floor((((comparison - 1) * GOLDEN_RATIO) % 1) * others.length)] ?? null;
}

/** Whether the node takes a bundle. It stays in its spool and is sent again in its turn, which makes no other certificate. */
async function isTaken(text: string, sending: Sending, patience: Patience): Promise<boolean> {
  let fault: NodeError | null = null;
  try {
    for await (const result of ask(sending, [text], patience)) fault = faultOf(sending, text, result);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    fault = error;
  }
  return fault === null;
}

/** Sends the one bundle of a batch while the node takes others. */
async function sendOrSetApart(sending: Sending, text: string, patience: Patience): Promise<void> {
  try {
    await send(sending, patience);
  } catch (error) {
    if (!(error instanceof NodeError) || asksToWait(error)) throw error;
    sending.postponed.setApart(sending, { text, at: 0, fault: error });
    sending.narrowing.passed(1);
  }
}

async function* ask({ register, attest }: Sending, sent: readonly string[], patience: Patience) {
  const [first = ''] = sent;
  if (isProject(first)) yield await register(first, patience);
  else yield* attest(sent, patience);
}

/**
 * A bundle of which the node cannot say whether it is attested is sent again, behind the others: it must not hold them up.
 * @throws NodeError when the rest of the batch must be sent later; HeldError where that does not concern other bundles
 */
async function send(sending: Sending, patience: Patience): Promise<void> {
  const { spool, batch, narrowing, turn, postponed, hasFailed } = sending;
  const sent = oneRequest(batch.texts, postponed);
  const held: Held[] = [];
  let answered = 0;
  // Bundles up to the last one that needs no further request.
  let done = 0;
  try {
    for await (const result of ask(sending, sent, patience)) {
      const text = sent[answered] ?? '';
      const fault = faultOf(sending, text, result);
      if (fault === null) {
        settle(sending, text, result);
        done = answered + 1;
      } else held.push({ text, at: answered, fault });
      answered += 1;
      if (answered % RESULTS_PER_TURN === 0) await turn();
    }
  } finally {
    postponed.acknowledge(sending, held, done);
    narrowing.passed(done);
  }
  const [rest] = held.filter(({ at }) => at >= done);
  if (rest === undefined) return;
  // The node may have a fault with all of them, and none with those behind them.
  const isTheirs = held.every(
    ({ fault: { status } }) => status !== null && (status === INTERNAL_ERROR || !isRetryable(status)),
  );
  if (done === 0 && hasFailed && isTheirs && spool.waiting > sent.length) {
    postponed.acknowledge({ spool, batch }, held, sent.length);
  }
  throw isTheirs ? new HeldError(rest.fault) : rest.fault;
}

/** @returns null for a result that stands */
function faultOf(sending: Sending, text: string, { status, body }: LineResult): NodeError | null {
  const hash = sealedHash(text);
  const name = hash ?? 'without a hash';
  if (status !== 200 && isRetryable(status)) {
    const message = `the node cannot attest the bundle ${name} now: ${status} ${codeOf(body)}`;
    return new NodeError('UNEXPECTED_ANSWER', message, { status });
  }
  if (isWithoutCalls(text, body) && (sending.postponed.hasCallOf(text) || waitsElsewhere(sending))) {
    const message = `the project ${name} waits for a call that the node has not attested`;
    return new NodeError('ATTESTATION_MISSING', message, { status });
  }
  if (status !== 200 || textOf(body, isProject(text) ? 'projectHash' : 'certificateHash') === hash) return null;
  // What is before the node may answer for it.
  return new NodeError('UNEXPECTED_ANSWER', 'the answer does not name the hash of the bundle', { status });
}

function settle(sending: Sending, text: string, { status, body }: LineResult): void {
  const code = codeOf(body);
  if (isWithoutCalls(text, body)) {
    waitForCalls(sending, text, code);
    return;
  }
  sending.postponed.delete(text);
  if (status === 200 && isProject(text)) sending.registered(body);
  else if (status === 200) sending.attested(body);
  else giveUp(sending, text, code);
}

/** Whether the node refused a project since it has not attested one of its calls. */
function isWithoutCalls(text: string, body: JsonMembers): boolean {
  return isProject(text) && codeOf(body) === 'ATTESTATION_MISSING';
}

function codeOf(body: JsonMembers): string {
  return textOf(body, 'error') ?? 'UNEXPECTED_ANSWER';
}

/** Whether another spool may have the calls of a project, as when the disk was full for a time. */
function waitsElsewhere({ spools, spool }: Sending): boolean {
  return spools.some((other) => other !== spool && other.waiting > 0);
}

/** The calls of a project may wait behind it, in a segment of another process: then it is moved to the end, once. */
function waitForCalls(sending: Sending, text: string, code: string): void {
  const { spool, moved } = sending;
  if (spool.waiting > 1 && !moved.delete(text)) {
    spool.put(text);
    moved.add(text);
  } else giveUp(sending, text, code);
}

/** A dead letter that cannot be written stays where it is, and does not hold up what comes after it. */
function giveUp({ spool, batch, postponed, failed, dead }: Sending, text: string, code: string): void {
  postponed.delete(text);
  try {
    spool.bury(text, code);
  } catch (error) {
    batch.keep();
    failed(error);
  }
  dead(text, code);
}

/** The first bundles that go in one request: a project or one set apart by itself, else all before the next of these. */
function oneRequest(texts: readonly string[], postponed: Postponed): readonly string[] {
  const single = texts.findIndex((text) => isProject(text) || postponed.isApart(text));
  return single < 0 ? texts : texts.slice(0, Math.max(1, single));
}

async function within(work: Promise<unknown> | null, deadline: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(LONGEST_TIMER_MS, Math.max(0, deadline - performance.now())));
  });
  try {
    await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
