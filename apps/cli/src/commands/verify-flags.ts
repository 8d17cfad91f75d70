import type { TimestampVerifier, VerifyOptions } from '@cer/cer-core/verify';
import { DEFAULT_MAX_BYTES } from '../files/read-bytes.js';
import type { KeyLookup } from '../trusted-keys/key-material.js';

/** Flags of every verifying command. */
export const VERIFY_FLAGS = {
  keys: { type: 'string' },
  history: { type: 'string' },
  root: { type: 'string' },
  'tsa-roots': { type: 'string' },
  node: { type: 'string' },
  json: { type: 'boolean' },
  'require-attestation': { type: 'boolean' },
  'max-bytes': { type: 'string' },
} as const;

export const VERIFY_FLAG_HELP: readonly (readonly [string, string])[] = [
  ['--keys FILE|URL', 'the published keys of the node: a saved key set, or the address of the node'],
  ['--history FILE|URL', 'instead of --keys: the key history of the node, for which the root vouches'],
  ['--root FINGERPRINT', 'the root key that must have signed the history'],
  ['--tsa-roots FILE', 'check timestamps (RFC 3161) against these root certificates, PEM'],
  ['--node NODE_ID', 'fail unless this node signed'],
  ['--json', 'write the report as JSON'],
  ['--require-attestation', 'fail when no node signed'],
  ['--max-bytes N', `read files of up to N bytes (${DEFAULT_MAX_BYTES} unless given)`],
];

interface VerifyFlagValues {
  readonly node?: string;
  readonly 'require-attestation'?: boolean;
}

/** The options for cer-core that the flags select. */
export function verifyOptions(
  flags: VerifyFlagValues,
  keys: KeyLookup,
  timestamps: TimestampVerifier | null,
  now: Date,
): VerifyOptions {
  return {
    keySet: keys.material?.keySet ?? null,
    timestamps,
    nodeId: flags.node ?? null,
    requireAttestation: flags['require-attestation'] ?? false,
    verifiedAt: now.toISOString(),
  };
}
