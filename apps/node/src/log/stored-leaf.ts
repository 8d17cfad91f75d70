import {
  hashText,
  makeLeaf,
  makeLeafOfText,
  tenantTag,
  type Leaf,
  type LeafKind,
  type LeafLabel,
} from '@cer/tlog/leaf';
import type { PendingLeaf } from '../store/index.js';

type LabelColumns = Omit<LeafLabel, 'number' | 'tenant'> & { readonly kind: LeafKind };

/** The label of a stored leaf. The node wrote it itself, so JSON.parse is sufficient. */
function labelOf(labelJson: string, number: number, tag: Uint8Array): LeafLabel {
  return { ...(JSON.parse(labelJson) as LabelColumns), number, tenant: hashText(tag) };
}

/** The time of the receipt of a stored leaf: ISO 8601, UTC, milliseconds, `Z`. */
export function timeOf({ labelJson }: Pick<PendingLeaf, 'labelJson'>): string {
  return (JSON.parse(labelJson) as Pick<LabelColumns, 'at'>).at;
}

/** A leaf with its place. */
export function leafAt(
  { labelJson, digest, seed }: Pick<PendingLeaf, 'labelJson' | 'digest' | 'seed'>,
  number: number,
  tag: Uint8Array,
): { readonly leaf: Leaf; readonly label: LeafLabel } {
  const label = labelOf(labelJson, number, tag);
  return { leaf: makeLeaf(seed, digest, label), label };
}

/**
 * The published entry of a leaf with its place, and its hash.
 * @param tenant the tag of the tenant as a hash
 */
export function placedLeaf(
  { labelJson, digest, seed }: Pick<PendingLeaf, 'labelJson' | 'digest' | 'seed'>,
  number: number,
  tenant: string,
): Pick<Leaf, 'entry' | 'leafHash'> {
  // A stored label is in the order of JCS, in which the members that a place adds come last.
  return makeLeafOfText(seed, digest, `${labelJson.slice(0, -1)},"number":${String(number)},"tenant":"${tenant}"}`);
}

/** The tags of tenants, each computed once. */
export function tenantTags(nodeId: string): (tenantId: string) => Uint8Array {
  const tags = new Map<string, Uint8Array>();
  return (tenantId) => {
    let tag = tags.get(tenantId);
    if (tag === undefined) {
      if (tags.size >= MAX_TAGS) tags.clear();
      tag = tenantTag(nodeId, tenantId);
      tags.set(tenantId, tag);
    }
    return tag;
  };
}

const MAX_TAGS = 100_000;
