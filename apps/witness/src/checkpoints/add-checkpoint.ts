import { isUtf8 } from 'node:buffer';
import type { Signer } from '@cer/keys';
import { TlogError } from '@cer/tlog';
import { equalBytes, verifyConsistency } from '@cer/tlog/merkle';
import {
  cosign,
  formatNote,
  formatSignatureLine,
  isEmptyRootRight,
  parseAddCheckpoint,
  verifyLines,
  type AddCheckpoint,
  type NoteKey,
  type SignedCheckpoint,
} from '@cer/tlog/note';
import type { KnownLog } from '../logs/known-logs.js';
import type { KnownHead, WitnessStore } from '../store/witness-store.js';
import type { AdvanceQuota } from './advance-quota.js';

/** The result of a submission. `conflict` names the size that the witness knows. */
export type Answer =
  | { readonly status: 'cosigned'; readonly line: string }
  | { readonly status: 'conflict'; readonly size: number }
  | { readonly status: Refused; readonly rule: string };

type Refused = 'malformed' | 'unknown-log' | 'not-signed' | 'too-many' | 'inconsistent' | 'clock-behind';

export interface WitnessDeps {
  readonly store: WitnessStore;
  readonly logs: ReadonlyMap<string, KnownLog>;
  /** The witness's own key, and what signs with it. */
  readonly key: NoteKey;
  readonly signer: Pick<Signer, 'sign'>;
  readonly quota: AdvanceQuota;
  readonly now: () => Date;
}

/**
 * Cosigns a checkpoint that extends what the witness knows of its log. The new head is on the disk before the line is
 * answered, and of two different trees the witness cosigns only one.
 * @param body of the request
 * @see https://c2sp.org/tlog-witness, "add-checkpoint"
 */
export async function addCheckpoint(body: Uint8Array, deps: WitnessDeps): Promise<Answer> {
  const request = readBody(body);
  if (typeof request === 'string') return { status: 'malformed', rule: request };
  const { checkpoint, oldSize } = request;
  const log = deps.logs.get(checkpoint.origin);
  if (log === undefined) return { status: 'unknown-log', rule: 'the witness does not follow this log' };
  if (!(await isSignedBy(checkpoint, log.keys))) {
    return { status: 'not-signed', rule: 'the checkpoint has no valid signature of its log' };
  }
  if (oldSize > checkpoint.size) return { status: 'malformed', rule: 'the old size must not be above the new one' };
  return decide(request, log, deps);
}

/** Rejects while every checkpoint would be refused with `clock-behind`. */
export async function assertMaySign({ store, now }: Pick<WitnessDeps, 'store' | 'now'>): Promise<void> {
  if (secondsOf(now()) < (await store.lastTime())) throw new Error('the clock is before the last cosignature');
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

/** Each turn of the loop follows a step that another submission took, so it ends. */
async function decide(request: AddCheckpoint, log: KnownLog, deps: WitnessDeps): Promise<Answer> {
  const { checkpoint, oldSize, path } = request;
  for (;;) {
    const known = await deps.store.head(log.origin);
    if (known === null) throw new Error('a log of the configuration is not in the database');
    await keepContradiction(checkpoint, known, deps);
    if (oldSize !== known.size) return { status: 'conflict', size: known.size };
    if (!isEmptyRootRight(checkpoint)) return inconsistent('an empty log must have the root of the empty tree');
    const heads = { size1: known.size, root1: known.root, size2: checkpoint.size, root2: checkpoint.root };
    if (!verifyConsistency({ ...heads, path })) {
      return inconsistent('the proof does not lead from the known checkpoint to this one');
    }
    const isAdvance = checkpoint.size > known.size;
    if (isAdvance && deps.quota.isUsedUp(log)) {
      return { status: 'too-many', rule: 'the requests of this log for today are used up' };
    }
    const time = secondsOf(deps.now());
    let line = '';
    const outcome = await deps.store.advance({
      from: known,
      to: checkpoint,
      time,
      cosign: async () => {
        line = await cosign(checkpoint.note.text, time, deps.key, deps.signer);
        return formatNote(checkpoint.note.text, [...linesOf(checkpoint, log.keys), line]);
      },
    });
    if (outcome === 'stored') {
      if (isAdvance) deps.quota.count(log);
      return { status: 'cosigned', line };
    }
    if (outcome === 'clock-behind') {
      return { status: 'clock-behind', rule: 'the clock of the witness is before its last cosignature' };
    }
  }
}

function inconsistent(rule: string): Answer {
  return { status: 'inconsistent', rule };
}

function readBody(body: Uint8Array): AddCheckpoint | string {
  if (!isUtf8(body)) return 'body: must be UTF-8';
  try {
    return parseAddCheckpoint(new TextDecoder('utf-8', { ignoreBOM: true }).decode(body));
  } catch (error) {
    if (error instanceof TlogError) return error.message;
    throw error;
  }
}

async function isSignedBy({ note }: SignedCheckpoint, keys: readonly NoteKey[]): Promise<boolean> {
  try {
    return (await verifyLines(note, keys)).length > 0;
  } catch (error) {
    if (error instanceof TlogError) return false;
    throw error;
  }
}

/** One line of each of the log's keys; all of them have been verified. */
function linesOf({ note }: SignedCheckpoint, keys: readonly NoteKey[]): readonly string[] {
  return keys.flatMap((key) => {
    const line = note.lines.find(({ name, keyId }) => key.name === name && key.id === keyId);
    return line === undefined ? [] : [formatSignatureLine(key, line.signature)];
  });
}

/** Another root at the known size, or at size 0, is proof of a split view by the log's own signature. */
async function keepContradiction(
  checkpoint: SignedCheckpoint,
  known: KnownHead,
  { logs, store, now }: WitnessDeps,
): Promise<void> {
  const isOtherRoot = checkpoint.size === known.size && !equalBytes(checkpoint.root, known.root);
  if (!isOtherRoot && isEmptyRootRight(checkpoint)) return;
  const lines = linesOf(checkpoint, logs.get(checkpoint.origin)?.keys ?? []);
  const note = formatNote(checkpoint.note.text, lines);
  await store.keepEvidence(checkpoint, { at: now().toISOString(), note, known: known.note });
}
