import type { TimestampVerifier, TransparencyVerifier, VerifyOptions } from '@cer/cer-core/verify';
import { DEFAULT_MAX_BYTES } from '../files/read-bytes.js';
import { TIMEOUT_FLAG, TIMEOUT_FLAG_HELP } from '../http/timeout.js';
import { UsageError } from '../usage-error.js';
import type { KeyLookup } from '../trusted-keys/key-material.js';

/** Flags of every verifying command. */
export const VERIFY_FLAGS = {
  keys: { type: 'string' },
  history: { type: 'string' },
  root: { type: 'string' },
  'tsa-roots': { type: 'string' },
  'log-policy': { type: 'string' },
  'log-proof': { type: 'string' },
  'require-log': { type: 'boolean' },
  node: { type: 'string' },
  json: { type: 'boolean' },
  'require-attestation': { type: 'boolean' },
  'max-bytes': { type: 'string' },
  ...TIMEOUT_FLAG,
} as const;

export const VERIFY_FLAG_HELP: readonly (readonly [string, string])[] = [
  ['--keys FILE|URL', 'the published keys of the node: a saved key set, or the address of the node'],
  ['--history FILE|URL', 'instead of --keys: the key history of the node, for which the root vouches'],
  ['--root FINGERPRINT', 'the root key that must have signed the history'],
  ['--tsa-roots FILE', 'check timestamps (RFC 3161) against these root certificates, PEM'],
  ['--log-policy FILE', 'check log proofs under this policy (tlog-policy): logs, witnesses, quorum'],
  ['--log-proof FILE', 'a log proof of this certificate that is not in the file'],
  ['--require-log', 'fail unless a log of the policy holds the receipt'],
  ['--node NODE_ID', 'fail unless this node signed'],
  ['--json', 'write the report as JSON'],
  ['--require-attestation', 'fail when no node signed'],
  ['--max-bytes N', `read files of up to N bytes (${DEFAULT_MAX_BYTES} unless given)`],
  ...TIMEOUT_FLAG_HELP,
];

interface VerifyFlagValues {
  readonly node?: string;
  readonly 'require-attestation'?: boolean;
  readonly 'require-log'?: boolean;
}

/** Pins of the caller besides the keys. */
export interface Pinned {
  readonly timestamps: TimestampVerifier | null;
  readonly transparency: TransparencyVerifier | null;
}

/** @throws UsageError for a demand that nothing can meet */
export function refuseLogFlagsWithoutPolicy(flags: {
  readonly 'log-policy'?: string;
  readonly 'log-proof'?: string;
  readonly 'require-log'?: boolean;
}): void {
  if (flags['log-policy'] !== undefined) return;
  if (flags['require-log'] === true) throw new UsageError('--require-log needs --log-policy');
  if (flags['log-proof'] !== undefined) throw new UsageError('--log-proof needs --log-policy');
}

/** The node that the flag pins by its name, or null. @throws UsageError for an address, which is the name of no node */
export function pinnedNode(flag: string | undefined): string | null {
  if (flag !== undefined && /^https?:\/\//i.test(flag)) {
    throw new UsageError('--node: is the name of a node here, not its address', { seesHelp: true });
  }
  return flag ?? null;
}

/** The options for cer-core that the flags select. */
export function verifyOptions(
  flags: VerifyFlagValues,
  keys: KeyLookup,
  { timestamps, transparency }: Pinned,
  now: Date,
): VerifyOptions {
  return {
    keySet: keys.material?.keySet ?? null,
    timestamps,
    transparency,
    requireLog: flags['require-log'] ?? false,
    nodeId: flags.node ?? null,
    requireAttestation: flags['require-attestation'] ?? false,
    verifiedAt: now.toISOString(),
  };
}
