import { readFileSync } from 'node:fs';
import { parseLogPolicy, TlogError, type LogPolicy } from '@cer/tlog';
import { StartupError } from '../errors/startup-error.js';

/**
 * Reads LOG_POLICY_FILE. Without a file no witness is asked, and every head is published at once.
 * @throws StartupError for a file that cannot be read or is not a policy
 */
export function readLogPolicy(file: string | null): LogPolicy {
  if (file === null) return parseLogPolicy('quorum none\n');
  try {
    return parseLogPolicy(readFileSync(file, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof TlogError ? cause.message : 'cannot be read';
    throw new StartupError(`LOG_POLICY_FILE: ${file}: ${reason}`, { cause });
  }
}
