import { executionRequestFaults, sealExecution } from '@cer/cer-core/seal';
import type { JsonMembers } from '../json.js';

/** A sealed execution: hashes and facts, no content. */
export interface Sealed {
  readonly executionId: string;
  readonly certificateHash: string;
  /** The bundle as JSON text on one line. */
  readonly text: string;
}

/** An execution that has no certificate, with one sentence per fault. They name members and rules, never values. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly details: readonly string[];

  constructor(details: readonly string[], options?: ErrorOptions) {
    super(`the call cannot be sealed: ${details.join('; ')}`, options);
    this.details = details;
  }
}

/**
 * Seals an execution in this process.
 * @param execution with `executionId`, `createdAt` and `timestamp`, so that sealing it again gives the same bytes
 * @throws SealError for content that its protocol does not allow
 * @see docs/spec.md, "Sealing"
 */
export function seal(execution: JsonMembers): Sealed {
  const faults = executionRequestFaults(execution);
  if (faults.length > 0) throw new SealError(faults);
  try {
    const { bundle, executionId, certificateHash } = sealExecution(execution, {
      createdAt: '',
      timestamp: null,
      executionId: '',
      saltsFor: () => {
        throw new Error('observed calls are sealed under a protocol with hashes');
      },
    });
    return { executionId, certificateHash, text: JSON.stringify(bundle) };
  } catch (error) {
    throw new SealError([error instanceof Error ? error.message : 'unknown fault'], { cause: error });
  }
}
