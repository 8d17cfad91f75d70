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
export async function backfillLog(store: Pick<Store, 'recordScan' | 'logRecovery'>): Promise<number> {
  return (await backfillRecords(store)) + (await backfillProjects(store));
}

async function backfillRecords({
  recordScan,
  logRecovery,
}: Pick<Store, 'recordScan' | 'logRecovery'>): Promise<number> {
  let added = 0;
  for (let place = 0; ;) {
    const found = await recordScan.after(place, null, ROWS_A_READ);
    const leaves = found.flatMap(({ seq, record }) =>
      recordLeaves(kindOf(record), record, record).map((leaf): MissingLeaf => ({ kind: 'records', seq, leaf })),
    );
    added += await logRecovery.addMissing(leaves);
    place = found.at(-1)?.seq ?? place;
    if (found.length < ROWS_A_READ) return added;
  }
}

async function backfillProjects({ logRecovery }: Pick<Store, 'logRecovery'>): Promise<number> {
  let added = 0;
  for (let place = 0; ;) {
    const found = await logRecovery.projectsWithoutLeaf(place, ROWS_A_READ);
    const leaves = found.map(({ seq, registeredAt: at, receiptJson, signature }): MissingLeaf => {
      const facts = { kind: 'project', at, appId: null, bundleType: null } as const;
      return {
        kind: 'projects',
        seq,
        leaf: newLeaf('project', facts, { receipt: parseStored(receiptJson), signature }),
      };
    });
    added += await logRecovery.addMissing(leaves);
    place = found.at(-1)?.seq ?? place;
    if (found.length < ROWS_A_READ) return added;
  }
}

function kindOf(record: CertificateRecord): LeafKind {
  if (Array.isArray(member(storedMeta(record), 'attestationHistory'))) return 'again';
  return record.kind === 'hash-only' ? 'hash-only' : 'certificate';
}
