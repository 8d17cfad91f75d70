/** Epochs: the ranges of leaves that a node closes, the map of tenants, and proofs that a range is complete. */
export { checkRange, EPOCHS_SUFFIX, verifyEpochEnd } from './epoch/completeness.js';
export type {
  CompletenessCode,
  EndVerdict,
  EpochEnd,
  LeafRangeProof,
  OpenedLeaf,
  RangeOwner,
} from './epoch/completeness.js';
export { formatCompleteness, readCompleteness, type CompletenessDocument } from './epoch/completeness-document.js';
export { readRangeLine } from './epoch/range-line.js';
export { formatEpoch, parseEpoch, type Epoch } from './epoch/epoch.js';
export {
  countRange,
  type RangeCount,
  type RangeFault,
  type RangeFaultCode,
  type RangeLeaf,
  type RangeQuestion,
} from './epoch/range-check.js';
export { mapRoot, proveInMap, tenantHeadValue, type MapElement, type MapProof } from './epoch/tenant-map.js';
