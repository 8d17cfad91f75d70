/** RFC 6962 Merkle trees: hashes, frontiers, trees and proofs. */
export { appendLeaves, EMPTY_FRONTIER, frontierOf, rootOfFrontier, type Frontier } from './merkle/frontier.js';
export { EMPTY_ROOT, equalBytes, leafHash } from './merkle/hash.js';
export { inclusionSteps, type PathStep } from './merkle/path-steps.js';
export { buildMerkleTree, treeOfLeafHashes, type MerkleTree } from './merkle/tree.js';
export { verifyConsistency, verifyInclusion, type Consistency, type Inclusion } from './merkle/verify.js';
