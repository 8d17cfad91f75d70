import type { LogRow, Store } from '../store/index.js';
import { createLogProofs, type LogProofs } from './log-proofs.js';
import type { OpenedLogs } from './opened-log.js';
import { tenantTags } from './stored-leaf.js';

/** The log as the routes of a node see it. */
export interface NodeLog {
  readonly nodeId: string;
  readonly receipts: LogRow;
  readonly epochs: LogRow;
  readonly proofs: LogProofs;
  readonly tagOf: (tenantId: string) => Uint8Array;
}

/** The read side of both logs. */
export function createNodeLog(store: Store, { receipts, epochs }: OpenedLogs, nodeId: string): NodeLog {
  const tagOf = tenantTags(nodeId);
  const proofs = createLogProofs({ store, log: receipts.row, tagOf });
  return { nodeId, receipts: receipts.row, epochs: epochs.row, proofs, tagOf };
}
