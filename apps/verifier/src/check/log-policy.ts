import type { TransparencyVerifier } from '@cer/cer-core/verify';
import { createTransparencyVerifier, parseLogPolicy } from '@cer/tlog';

/** The logs and witnesses of a policy, as people compare them. */
export interface ListedLogPolicy {
  readonly logs: readonly string[];
  readonly witnesses: readonly string[];
}

/**
 * A checker of log proofs under a policy; null without one, so no proof is judged.
 * @throws TlogError for a text that is not a policy
 */
export function logVerifier(policyText: string | null): TransparencyVerifier | null {
  return policyText === null ? null : createTransparencyVerifier({ policy: parseLogPolicy(policyText) });
}

/** The logs and witnesses that a policy names; null for a text that is not a policy. */
export function listLogPolicy(text: string): ListedLogPolicy | null {
  try {
    const { logs, witnesses } = parseLogPolicy(text);
    return { logs: logs.map(({ key }) => key.name), witnesses: witnesses.map(({ key }) => key.name) };
  } catch {
    // Any file may be handed over.
    return null;
  }
}
