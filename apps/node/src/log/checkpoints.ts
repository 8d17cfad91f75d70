import { frontierOf, rootOfFrontier } from '@cer/tlog/merkle';
import { formatNote, parseCheckpoint, signCheckpoint } from '@cer/tlog/note';
import type { LogNoteStore, LogStore } from '../store/index.js';
import type { OpenedLog } from './opened-log.js';

export interface CheckpointStore {
  readonly log: Pick<LogStore, 'head'>;
  readonly logNotes: Pick<LogNoteStore, 'keep'>;
}

/** A signed head. */
export interface SignedHead {
  readonly size: number;
  readonly note: string;
}

/**
 * Signs the committed head of a log, each size only once: the note is stored before it is published.
 * @returns null for a log that was halted
 */
export async function signHead({ log, logNotes }: CheckpointStore, opened: OpenedLog): Promise<SignedHead | null> {
  const { logId, origin } = opened.row;
  const { size, peaks, halted } = await log.head(logId);
  if (halted !== null) return null;
  const root = rootOfFrontier(frontierOf(size, peaks));
  const note = await signCheckpoint({ origin, size, root }, opened.key, await opened.signer());
  return { size, note: await logNotes.keep(logId, size, note) };
}

/** A note with the lines of witnesses after that of the log. */
export function withLines(note: string, lines: readonly string[]): string {
  const gap = note.lastIndexOf('\n\n');
  return formatNote(parseCheckpoint(note).note.text, [note.slice(gap + 2), ...lines]);
}
