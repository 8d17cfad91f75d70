import { TlogError } from '@cer/tlog';
import { parseVkey, type NoteKey } from '@cer/tlog/note';
import { OperatorError } from '@cer/http-service/process';

/** A log that the witness cosigns. */
export interface KnownLog {
  readonly origin: string;
  readonly keys: readonly NoteKey[];
  /** Maximum cosigned checkpoints per day that advance the log; null for no limit. */
  readonly requestsPerDay: number | null;
}

/** A log as one vkey or one entry of a list names it. */
interface NamedLog {
  readonly origin: string;
  readonly key: NoteKey;
  readonly requestsPerDay: number | null;
}

/** The list or a vkey cannot be read; the message names the place and the rule. */
export class LogListError extends OperatorError {
  override readonly name = 'LogListError';
}

const MAX_REQUESTS_PER_DAY = 2 ** 31;
const LIST_HEADER = 'logs/v0';

/** @param place names the vkey in the message @throws LogListError */
export function logOfVkey(vkey: string, place: string): NamedLog {
  const key = keyOf(vkey, place);
  return { origin: key.name, key, requestsPerDay: null };
}

/**
 * Reads a list of logs: `logs/v0`, then `vkey`, `origin` (optional), `qpd` and `contact` of each.
 * @throws LogListError naming the line and the rule
 * @see https://github.com/transparency-dev/witness-network, "Log-list format"
 */
export function readLogList(text: string): readonly NamedLog[] {
  const lines = text
    .split('\n')
    .map((line, at) => ({ line: line.trim(), place: `list of logs, line ${String(at + 1)}` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'));
  const [header] = lines;
  if (header?.line !== LIST_HEADER) throw new LogListError(`list of logs: must begin with ${LIST_HEADER}`);
  const logs: NamedLog[] = [];
  for (let at = 1; at < lines.length;) {
    const next = (word: string, isOptional = false): { value: string; place: string } | null => {
      const found = lines[at];
      if (found?.line.startsWith(`${word} `) === true) {
        at++;
        return { value: found.line.slice(word.length + 1).trim(), place: found.place };
      }
      if (isOptional) return null;
      throw new LogListError(`${found?.place ?? 'list of logs, end'}: ${word} is expected`);
    };
    const vkey = next('vkey');
    const origin = next('origin', true);
    const qpd = next('qpd');
    next('contact');
    const key = keyOf(vkey?.value ?? '', vkey?.place ?? '');
    logs.push({ origin: origin?.value ?? key.name, key, requestsPerDay: requestsOf(qpd) });
  }
  return logs;
}

function requestsOf(qpd: { value: string; place: string } | null): number {
  const requests = Number(qpd?.value);
  if (qpd === null || !/^[1-9][0-9]*$/.test(qpd.value) || requests >= MAX_REQUESTS_PER_DAY) {
    throw new LogListError(`${qpd?.place ?? 'list of logs'}: qpd must be a whole number from 1 to 2^31-1`);
  }
  return requests;
}

function keyOf(vkey: string, place: string): NoteKey {
  let key: NoteKey;
  try {
    key = parseVkey(vkey);
  } catch (error) {
    if (error instanceof TlogError) throw new LogListError(`${place}: ${error.message}`);
    throw error;
  }
  if (key.type !== 'ed25519') throw new LogListError(`${place}: must be the key of a log, not of a witness`);
  return key;
}

/** The logs by origin; a log that is named with several keys may sign with each of them. */
export function logsByOrigin(named: readonly NamedLog[]): ReadonlyMap<string, KnownLog> {
  const logs = new Map<string, KnownLog>();
  for (const { origin, key, requestsPerDay } of named) {
    const known = logs.get(origin);
    const others = known?.keys.filter(({ name, id }) => name !== key.name || id !== key.id) ?? [];
    const keys = [...others, key];
    logs.set(origin, { origin, keys, requestsPerDay: requestsPerDay ?? known?.requestsPerDay ?? null });
  }
  return logs;
}
