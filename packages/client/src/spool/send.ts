import { textOf, type JsonMembers } from '../json.js';
import { isRetryable } from '../node-api/retry.js';
import { NodeError } from '../node-api/node-error.js';
import type { LineResult } from '../node-api/lines.js';
import type { Narrowing } from './narrowing.js';
import type { Held, Postponed } from './postponed.js';
import { isProject, sealedHash, type Batch, type Spool } from './spool.js';

/** Maximum bundles of one request. */
export const BATCH_LINES = 200;

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

/** Maximum results handled in one turn of the event loop, in which no call of the program advances. */
const RESULTS_PER_TURN = 2;

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

export interface Queue {
  readonly spool: Spool;
  readonly narrowing: Narrowing;
}

/** A batch that is being sent. */
export interface Sending extends DrainDeps, Queue {
  readonly batch: Batch;
  /** Projects that were moved behind calls that wait. */
  readonly moved: Set<string>;
  readonly postponed: Postponed;
  /** Whether the request before it brought no bundle to the node. */
  readonly hasFailed: boolean;
}

/**
 * A request that is too large for the node, or for a proxy before it, would be so each time.
 * A bundle that is too large by itself is given up.
 * @returns the most bundles of the next request
 * @throws NodeError as `send`
 */
export async function sendWhereItFits(sending: Sending, most: number, patience: Patience): Promise<number> {
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
export class HeldError extends Error {
  readonly fault: NodeError;
  constructor(fault: NodeError) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Whether an answer is about the time of a request, and says nothing of its bundles. */
export function asksToWait({ status, retryAfterMs }: NodeError): boolean {
  return status === TOO_MANY || retryAfterMs !== null;
}

/**
 * Another bundle that waits, to compare with one that is alone in requests that fail. The next one keeps the order; where
 * it is at fault too, those that follow may be as well: the places of further ones are far from each other.
 * @param comparison its number, from 1
 */
export async function anotherThan(text: string, sending: Sending, comparison: number): Promise<string | null> {
  const { spools, spool, postponed } = sending;
  const batch = await spool.next(BATCH_LINES);
  const texts = [...(batch?.texts ?? []), ...spools.flatMap((one) => one.heads())];
  const others = texts.filter((other) => other !== text && !postponed.isApart(other));
  return others[Math.floor((((comparison - 1) * GOLDEN_RATIO) % 1) * others.length)] ?? null;
}

/** Whether the node takes a bundle. It stays in its spool and is sent again in its turn, which makes no other certificate. */
export async function isTaken(text: string, sending: Sending, patience: Patience): Promise<boolean> {
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
export async function sendOrSetApart(sending: Sending, text: string, patience: Patience): Promise<void> {
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
export function oneRequest(texts: readonly string[], postponed: Postponed): readonly string[] {
  const single = texts.findIndex((text) => isProject(text) || postponed.isApart(text));
  return single < 0 ? texts : texts.slice(0, Math.max(1, single));
}
