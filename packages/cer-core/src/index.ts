/**
 * The vocabulary of a Certified Execution Record: hashes, protocol versions, bundle types, codes and errors. Operations
 * on records are imported by task: `/seal`, `/attest`, `/verify`, `/logs`. Pure: no network, disk, clock or
 * environment.
 */
export {
  codemodeRender,
  RENDER_BUNDLE_TYPE,
  RENDER_HASH_SCHEME,
  RENDER_SNAPSHOT_TYPE,
} from './bundle-types/codemode-render.js';
export { REDACTED, type Layout } from './bundle-types/layout.js';
export { BUNDLE_TYPES, bundleTypeOf, EXECUTION_V1, EXECUTION_V2, HASH_ONLY, PROJECT } from './bundle-types/registry.js';
export { CER_VERIFY_CODES, CerError, type CerVerifyCode, type FailureCode } from './errors.js';
export type { Finding } from './finding.js';
export { hashValue, isSha256Hash, sha256, type Sha256Hash } from './hash.js';
export {
  effectiveProtocolVersion,
  IMPLIED_PROTOCOL_VERSION,
  protocolFor,
  PROTOCOLS,
  RECOMMENDED_PROTOCOL_VERSION,
  type Protocol,
} from './protocols/protocols.js';
