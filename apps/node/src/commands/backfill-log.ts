import { member } from '@cer/canonical-json';
import type { LeafKind } from '@cer/tlog/leaf';
import { newLeaf } from '../log/new-leaf.js';
import { recordLeaves } from '../records/record-leaves.js';
import { parseStored, storedMeta } from '../records/stored-cer.js';
import type { CertificateRecord, MissingLeaf, Store } from '../store/index.js';

/** Rows in memory: each record may have megabytes. */
const ROWS_A_READ = 20;

/**
 * Stores a leaf for the newest receipt of each record, and for each project, that has none: those from before the log.
 * @returns how many leaves were stored
 */
export async function backfillLog({
  recordScan,
  logRecovery,
}: Pick<Store, 'recordScan' | 'logRecovery'>): Promise<number> {
  const ofRecords = await backfill(
    logRecovery,
    (after) => recordScan.after(after, null, ROWS_A_READ),
    ({ seq, record }) => recordLeaves(kindOf(record), record, record).map((leaf) => ({ kind: 'records', seq, leaf })),
  );
  const ofProjects = await backfill(
    logRecovery,
    (after) => logRecovery.projectsWithoutLeaf(after, ROWS_A_READ),
    ({ seq, registeredAt: at, receiptJson, signature }) => {
      const facts = { kind: 'project', at, appId: null, bundleType: null } as const;
      const leaf = newLeaf('project', facts, { receipt: parseStored(receiptJson), signature });
      return [{ kind: 'projects', seq, leaf }];
    },
  );
  return ofRecords + ofProjects;
}

async function backfill<Row extends { readonly seq: number }>(
  logRecovery: Store['logRecovery'],
  rowsAfter: (seq: number) => Promise<readonly Row[]>,
  leavesOf: (row: Row) => readonly MissingLeaf[],
): Promise<number> {
  let added = 0;
  for (let place = 0; ;) {
    const found = await rowsAfter(place);
    added += await logRecovery.addMissing(found.flatMap(leavesOf));
    place = found.at(-1)?.seq ?? place;
    if (found.length < ROWS_A_READ) return added;
  }
}

function kindOf(record: CertificateRecord): LeafKind {
  if (Array.isArray(member(storedMeta(record), 'attestationHistory'))) return 'again';
  return record.kind === 'hash-only' ? 'hash-only' : 'certificate';
}
