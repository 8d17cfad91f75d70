import { formatTlogProof } from '@cer/tlog';
import { ownerOpening, publicOpening } from '@cer/tlog/leaf';
import type { LoggedLeaf, LogNoteStore, LogRow, LogStore } from '../store/index.js';
import { treeOfLog, type LogTreeStore } from './log-tree.js';
import { leafAt } from './stored-leaf.js';

/** A proof as a package carries it. */
export interface LogProof {
  readonly proof: string;
  readonly notBefore?: string;
}

/** The log's entry for a receipt. */
export type FoundProof =
  | { readonly status: 'proven'; readonly proof: LogProof }
  /** Logged, and not shown by a published checkpoint yet. */
  | { readonly status: 'pending' }
  /** Not logged, or deleted. */
  | { readonly status: 'none' };

/** Makes proofs when they are asked for; nothing is stored. */
export interface LogProofs {
  /** @param opens the form of the opening: public, or complete for keys of the tenant */
  find(
    source: 'record' | 'reseal' | 'project',
    of: { readonly tenantId: string; readonly hash: string },
    opens: 'public' | 'owner',
  ): Promise<FoundProof>;
}

export interface LogProofDeps {
  readonly store: LogTreeStore & {
    readonly log: Pick<LogStore, 'leafOf'>;
    readonly logNotes: Pick<LogNoteStore, 'firstPublishedAbove' | 'lastPublishedUpTo'>;
  };
  readonly log: LogRow;
  readonly tagOf: (tenantId: string) => Uint8Array;
}

/** @see docs/spec.md, "Transparency log" */
export function createLogProofs({ store, log, tagOf }: LogProofDeps): LogProofs {
  const { logId } = log;

  const prove = async (
    stored: LoggedLeaf,
    content: NonNullable<LoggedLeaf['content']>,
    opens: 'public' | 'owner',
  ): Promise<LogProof | null> => {
    const shown = await store.logNotes.firstPublishedAbove(logId, stored.index);
    if (shown === null) return null;
    const [path, before] = await Promise.all([
      treeOfLog(store, log, shown.size).inclusionPath(stored.index, shown.size),
      store.logNotes.lastPublishedUpTo(logId, stored.index),
    ]);
    const { leaf, label } = leafAt(content, stored.number, tagOf(stored.tenantId));
    const extra = opens === 'owner' ? ownerOpening(leaf, label) : publicOpening(leaf);
    const proof = formatTlogProof({ extra, index: stored.index, path, checkpoint: shown.note });
    // No promise covers receipts from before the log, so a lower bound of their time would make them look late.
    return before === null || label.at < log.since ? { proof } : { proof, notBefore: before.fresh };
  };

  return {
    find: async (source, { tenantId, hash }, opens) => {
      const found = await store.log.leafOf(source, tenantId, hash);
      if (found === null) return { status: 'none' };
      const { leaf } = found;
      if (leaf === null) return { status: 'pending' };
      // The receipt is in an earlier, closed log, whose proofs are published there.
      if (leaf.content === null || leaf.logId !== logId) return { status: 'none' };
      const proof = await prove(leaf, leaf.content, opens);
      return proof === null ? { status: 'pending' } : { status: 'proven', proof };
    },
  };
}
