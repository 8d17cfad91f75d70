/** Sealing: from the description of an execution to the members of a certificate and its `certificateHash`. */
export { deriveSalts, SALT_BYTES, type CommitmentSalts, type SealedField } from './commitments/commit.js';
export { formatOpenings } from './commitments/openings.js';
export { hashValue } from './hash.js';
export { buildProject, type ProjectStep } from './project/build-project.js';
export { protocolFor } from './protocols/protocols.js';
export { timestamp, wellFormedLabel } from './schema/rules.js';
export { executionRequestFaults, REQUEST_DEPTH, stated } from './seal/execution-request.js';
export { sealBundle, sealExecution, type SealedExecution } from './seal/seal-execution.js';
