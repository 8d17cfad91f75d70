import { TlogError, type LogPolicy } from '@cer/tlog';
import { equalBytes } from '@cer/tlog/merkle';
import { parseCheckpoint, verifyLines } from '@cer/tlog/note';
import { FetchFault } from '../http/fetch-json.js';
import type { Alarm } from './alarm.js';
import type { Turn } from './follow-log.js';
import { witnessedCheckpoint, witnessedEvidence } from './log-source.js';

/**
 * Compares what the witnesses of the policy saw with what the log shows here. Witnesses without an address are left out.
 * @param staleAfter seconds since 1970 before which a witness's larger checkpoint must be published
 */
export async function compareWitnesses(
  turn: Turn,
  policy: LogPolicy,
  staleBefore: number,
  maxMs: number,
): Promise<readonly Alarm[]> {
  const { origin } = turn.checkpoint;
  const alarms: Alarm[] = [];
  for (const { name, url, key } of policy.witnesses) {
    if (url === null) continue;
    const address = url.replace(/\/+$/, '');
    try {
      const note = await witnessedCheckpoint(address, origin, maxMs);
      const seen = parseCheckpoint(note);
      const logKeys = policy.logs.map((log) => log.key).filter((found) => found.name === origin);
      const lines = await verifyLines(seen.note, [key, ...logKeys]);
      const isSigned = [key, ...logKeys.slice(0, 1)].every((needed) => lines.some((line) => line.key === needed));
      if (seen.origin !== origin || !isSigned) {
        alarms.push({ code: 'LOG_MALFORMED', origin, detail: `witness ${name} serves a checkpoint without its lines` });
        continue;
      }
      const { size } = turn.checkpoint;
      if (seen.size <= size && !equalBytes(await turn.tree.rootAt(seen.size), seen.root)) {
        const detail = `witness ${name} saw another tree of size ${String(seen.size)}`;
        alarms.push({ code: 'LOG_SPLIT_VIEW', origin, detail, evidence: [note, turn.note] });
      }
      const time = lines.find((line) => line.key === key)?.time ?? 0;
      if (seen.size > size && time < staleBefore) {
        const detail = `witness ${name} saw ${String(seen.size)} entries, and the log shows only ${String(size)}`;
        alarms.push({ code: 'LOG_STALE', origin, detail, evidence: [note, turn.note] });
      }
      for (const notes of await evidenceOf(address, origin, maxMs)) {
        const detail = `witness ${name} keeps proof of a split view`;
        alarms.push({ code: 'LOG_SPLIT_VIEW', origin, detail, evidence: notes });
      }
    } catch (error) {
      if (!(error instanceof FetchFault || error instanceof TlogError)) throw error;
      const code = error instanceof FetchFault ? 'LOG_UNAVAILABLE' : 'LOG_MALFORMED';
      alarms.push({ code, origin, detail: `witness ${name}: ${error.message}` });
    }
  }
  return alarms;
}

/** Public witnesses have no such route: then there is nothing. */
async function evidenceOf(address: string, origin: string, maxMs: number): Promise<readonly (readonly string[])[]> {
  try {
    return await witnessedEvidence(address, origin, maxMs);
  } catch (error) {
    if (error instanceof FetchFault) return [];
    throw error;
  }
}
