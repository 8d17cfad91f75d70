import {
  executionRequestFaults,
  formatOpenings,
  hashValue,
  protocolFor,
  SALT_BYTES,
  sealExecution,
} from '@cer/cer-core/seal';
import type { Json, JsonMembers } from '../json.js';
import type { Protocol } from '../settings.js';

/** A sealed execution: hashes or commitments and facts, no content. */
export interface Sealed {
  readonly executionId: string;
  readonly certificateHash: string;
  readonly bundle: JsonMembers;
  /** The bundle as JSON text on one line. */
  readonly text: string;
  /** `{input: {salt}, output: {salt}}` under 1.3.1, which nothing else can open the commitments with; else null. */
  readonly openings: JsonMembers | null;
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
 * Seals an execution in this process. Under 1.3.1 the salts are drawn here.
 * @param execution with `executionId`, `createdAt` and `timestamp`
 * @throws SealError for content that its protocol does not allow
 * @see docs/spec.md, "Sealing"
 */
export function seal(execution: JsonMembers): Sealed {
  check(execution);
  try {
    const { bundle, executionId, certificateHash, salts, hashed } = sealExecution(execution, {
      createdAt: '',
      timestamp: null,
      executionId: '',
      saltsFor: () => ({ input: newSalt(), output: newSalt() }),
    });
    const openings = salts === null ? null : formatOpenings(salts);
    // All members of a bundle made here are hashed, except the hash: their text is not made again.
    const text =
      hashed === null ? JSON.stringify(bundle) : `{"certificateHash":"${certificateHash}",${hashed.canonical.slice(1)}`;
    return { executionId, certificateHash, bundle, text, openings };
  } catch (error) {
    throw new SealError([error instanceof Error ? error.message : 'unknown fault'], { cause: error });
  }
}

/** Labels of descriptions without a fault. A program has few, and a check takes as long as a fifth of sealing. */
const passed = new Set<string>();
const MAX_PASSED = 1000;

/**
 * Checks a description, unless an earlier one had its labels: under a plain protocol nothing else that a caller states is
 * free but its content, and sealing refuses content without a canonical form.
 * @throws SealError for a fault
 */
function check(execution: JsonMembers): void {
  const { provider, model, appId, prompt, input, inputHash, output, outputHash } = execution;
  const isPlain = prompt === undefined && isContent(input ?? inputHash) && isContent(output ?? outputHash);
  const labels = JSON.stringify([provider, model, appId]);
  if (isPlain && passed.has(labels)) return;
  const faults = executionRequestFaults(execution);
  if (faults.length > 0) throw new SealError(faults);
  if (passed.size >= MAX_PASSED) passed.clear();
  if (isPlain) passed.add(labels);
}

function isContent(value: Json | undefined): boolean {
  return (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null);
}

/**
 * The hash that an input or output gets when it is sealed; null under a protocol of commitments, and for a value that its
 * protocol does not allow.
 * @see docs/spec.md, "Hashing values"
 */
export function hashOfValue(value: Json, version: Protocol): string | null {
  const protocol = protocolFor(version);
  if (protocol?.sealing !== 'plain') return null;
  try {
    return hashValue(value, protocol.profile, 'value');
  } catch {
    return null;
  }
}

function newSalt(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(SALT_BYTES));
}
