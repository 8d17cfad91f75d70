import { isKnownToLog, type AuditPackageQuery } from '@cer/cer-core/logs';
import { leafRange } from '../log/completeness.js';
import { publishedStatement } from '../log/log-statement.js';
import type { NodeLog } from '../log/node-log.js';
import { DeletedSinceError, openingLines } from '../log/opening-lines.js';
import type { PublishedNote, Store } from '../store/index.js';

export interface LogFileDeps {
  readonly store: Pick<Store, 'log' | 'logEpochs' | 'logNotes'>;
  /** Absent or null: no transparency log. */
  readonly log?: NodeLog | null;
  readonly now: () => Date;
}

const LINES_A_FILE = 1000;

/**
 * The published checkpoint of the epochs log, for a package of records that are read later: all leaves of its epochs
 * are of records that a later snapshot has. Null without a log, and before the first.
 */
export async function publishedEpochs({ store, log = null }: LogFileDeps): Promise<PublishedNote | null> {
  return log === null ? null : await store.logNotes.newestPublished(log.epochs.logId);
}

/**
 * The log's proof in a package that no record of the period is missing. None before the first epoch, before that of a
 * deletion, or with a filter that the log does not support.
 * @param shown from before the snapshot of the records
 * @see docs/spec.md, "Completeness"
 */
export async function* logFiles(
  { store, log = null, now }: LogFileDeps,
  tenantId: string,
  query: AuditPackageQuery,
  shown: PublishedNote | null,
): AsyncGenerator<readonly [name: string, content: readonly string[]]> {
  if (log === null || !isKnownToLog(query)) return;
  const range = await leafRange({ store, ...log }, tenantId, query, shown);
  if (range === null) return;
  let lines: string[] = [];
  let file = 0;
  const nameOf = (number: number): string => `log/openings/${String(number).padStart(6, '0')}.ndjson`;
  try {
    for await (const line of openingLines({ store: store.log, ...log }, tenantId, range, query)) {
      lines.push(line);
      if (lines.length < LINES_A_FILE) continue;
      yield [nameOf(++file), lines];
      lines = [];
    }
  } catch (error) {
    // Without their document, the openings written so far claim nothing.
    if (error instanceof DeletedSinceError) return;
    throw error;
  }
  if (lines.length > 0) yield [nameOf(++file), lines];
  yield ['log/completeness.json', [`${JSON.stringify(range.document, null, 2)}\n`]];
  const deps = { logNotes: store.logNotes, rows: await store.log.logs(), nodeId: log.nodeId };
  yield ['log/statement.json', [`${JSON.stringify(await publishedStatement(deps, now()), null, 2)}\n`]];
}
