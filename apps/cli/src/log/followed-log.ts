import { isJsonObject, member } from '@cer/canonical-json';
import { TlogError } from '@cer/tlog';
import { parseCheckpoint, type SignedCheckpoint } from '@cer/tlog/note';
import { nameOf } from '../files/read-bytes.js';
import { readState, stateFileOf, writeState } from '../files/state-file.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

// The newest checkpoint of each log that this computer accepted. Without it a monitor could be shown another history.

/** The state that was accepted last. */
export interface Followed {
  readonly note: string;
  readonly checkpoint: SignedCheckpoint;
  /** Of an epochs log: the end of its newest epoch. */
  readonly epochEnd: string | null;
}

/** @param vkey of the log @throws UsageError when neither XDG_STATE_HOME nor HOME is an absolute path */
function stateFile(vkey: string, env: Io['env']): string {
  return stateFileOf('accepted checkpoints', 'logs', vkey, env);
}

/** @returns null for a log that was never followed @throws UsageError when the file cannot be read */
export async function readFollowed(vkey: string, env: Io['env']): Promise<Followed | null> {
  const path = stateFile(vkey, env);
  const value = await readState(path);
  if (value === undefined) return null;
  const [note, epochEnd] = isJsonObject(value) ? [member(value, 'note'), member(value, 'epochEnd')] : [];
  try {
    if (typeof note === 'string') {
      return { note, checkpoint: parseCheckpoint(note), epochEnd: typeof epochEnd === 'string' ? epochEnd : null };
    }
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
  }
  throw new UsageError(
    `${nameOf(path)}: does not hold the accepted checkpoint. Restore it, or remove it to begin again`,
  );
}

/** @throws UsageError when it cannot be written */
export async function keepFollowed(
  vkey: string,
  followed: Followed,
  io: Pick<Io, 'env' | 'randomId' | 'onInterrupt'>,
): Promise<void> {
  const { note, epochEnd } = followed;
  await writeState(stateFile(vkey, io.env), { note, epochEnd }, io);
}
