/** Transparency log: RFC 6962 trees, C2SP notes, checkpoints, tiles, proofs and policies, and what a node logs in them. */
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
export {
  mapRoot,
  proveInMap,
  readMapProof,
  tenantHeadValue,
  type MapAnswer,
  type MapElement,
  type MapProof,
} from './epoch/tenant-map.js';
export {
  deletionDigest,
  erasedOpening,
  labelOpening,
  LEAF_KINDS,
  makeLeaf,
  ownerOpening,
  publicOpening,
  receiptDigest,
  tenantTag,
  type Leaf,
  type LeafKind,
  type LeafLabel,
} from './leaf/leaf.js';
export { leafHashOfOpening, parseOpening, readOpening, type Opening } from './leaf/opening.js';
export { appendLeaves, EMPTY_FRONTIER, frontierOf, rootOfFrontier, type Frontier } from './merkle/frontier.js';
export { EMPTY_ROOT, equalBytes, leafHash } from './merkle/hash.js';
export { inclusionSteps, type PathStep } from './merkle/path-steps.js';
export { buildMerkleTree, treeOfLeafHashes, type MerkleTree } from './merkle/tree.js';
export { verifyConsistency, verifyInclusion, type Consistency, type Inclusion } from './merkle/verify.js';
export { formatAddCheckpoint, parseAddCheckpoint, type AddCheckpoint } from './note/add-checkpoint.js';
export {
  checkpointText,
  cosign,
  isEmptyRootRight,
  originHashOf,
  parseCheckpoint,
  signCheckpoint,
  type Checkpoint,
  type SignedCheckpoint,
  type TreeHead,
} from './note/checkpoint.js';
export {
  formatNote,
  formatSignatureLine,
  parseNote,
  verifyLines,
  type SignatureLine,
  type SignedNote,
  type VerifiedLine,
} from './note/signed-note.js';
export { formatVkey, isKeyName, noteKeyOf, parseVkey, type NoteKey, type NoteKeyType } from './note/vkey.js';
export { parseLogPolicy, type LogPolicy, type PolicyKey, type PolicyWitness } from './policy/policy.js';
export { judgeCheckpoint, type CheckpointVerdict, type CosignedBy } from './proof/judge-checkpoint.js';
export {
  judgeLogProof,
  LOG_CODES,
  type LogCode,
  type LogProofSubject,
  type LogProofText,
  type LogRules,
  type LogVerdict,
} from './proof/log-verdict.js';
export { formatTlogProof, parseTlogProof, type TlogProof } from './proof/tlog-proof.js';
export { createTransparencyVerifier, DEFAULT_MMD_SECONDS } from './proof/transparency-verifier.js';
export { decodeEntryBundle, encodeEntryBundle } from './tiles/entry-bundle.js';
export { formatTilePath, parseTilePath, TILE_WIDTH, tilesOf, type TileName } from './tiles/tile-path.js';
export { openTileTree, tilesMatch, type ReadTile, type TileTree } from './tiles/tile-tree.js';
export { TlogError, type TlogErrorCode } from './tlog-error.js';
