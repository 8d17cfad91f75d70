/** Leaves: what a node logs, the openings of their members, and their hashes. */
export {
  deletionDigest,
  erasedOpening,
  hashText,
  labelOpening,
  makeLeaf,
  makeLeafOfText,
  ownerOpening,
  publicOpening,
  receiptDigest,
  tenantTag,
  type Leaf,
  type LeafKind,
  type LeafLabel,
} from './leaf/leaf.js';
export { leafHashOfOpening, parseOpening, readOpening, type Opening } from './leaf/opening.js';
