import type { TransparencyVerifier } from '@cer/cer-core/verify';
import type { LogPolicy } from '@cer/tlog';
import { nameOf, readBytes } from '../files/read-bytes.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

const MAX_POLICY_BYTES = 1024 * 1024;

/** The policy that the caller pinned: which logs, and which witnesses make their checkpoints valid. */
export interface PinnedLogPolicy {
  /** As read, so that it can be sent to another thread. */
  readonly text: string;
  readonly policy: LogPolicy;
  readonly verifier: TransparencyVerifier;
}

/**
 * Reads the policy that `--log-policy` names; null without the flag.
 * @throws UsageError when the file is missing or is not a policy
 */
export async function loadLogPolicy(
  source: string | undefined,
  io: Pick<Io, 'stdin'>,
): Promise<PinnedLogPolicy | null> {
  if (source === undefined) return null;
  if (source === '-') throw new UsageError('--log-policy: must be a file');
  const text = new TextDecoder().decode(await readBytes(source, io.stdin, MAX_POLICY_BYTES));
  const { TlogError } = await import('@cer/tlog');
  try {
    return await parsePinnedPolicy(text);
  } catch (error) {
    if (error instanceof TlogError) throw new UsageError(`${nameOf(source)}: ${error.message}`);
    throw error;
  }
}

/** @throws TlogError for a text that is not a policy */
export async function parsePinnedPolicy(text: string): Promise<PinnedLogPolicy> {
  // Loaded here only: without a policy no log code is loaded.
  const { createTransparencyVerifier, parseLogPolicy } = await import('@cer/tlog');
  const policy = parseLogPolicy(text);
  return { text, policy, verifier: createTransparencyVerifier({ policy }) };
}

/** The policy of a command that cannot do without. @throws UsageError when it is missing */
export async function requiredLogPolicy(source: string | undefined, io: Pick<Io, 'stdin'>): Promise<PinnedLogPolicy> {
  const pinned = await loadLogPolicy(source, io);
  if (pinned === null) {
    throw new UsageError('--log-policy is missing: which logs and witnesses do you trust?', { seesHelp: true });
  }
  return pinned;
}
