import { CerError, CER_VERIFY_CODES, type FailureCode } from './errors.js';

/** The reason why a schema was refused, besides the code SCHEMA_ERROR. */
export type SchemaReason = 'SCHEMA_VERSION_UNSUPPORTED' | 'BUNDLE_CORRUPTED';

/** One fault: the member, the rule, and for hashes the expected and the computed value. */
export interface Finding {
  readonly code: FailureCode;
  /** JSON path of the member, e.g. `snapshot.inputHash`. */
  readonly member: string;
  /** The rule as a sentence. Never a value that may be confidential. */
  readonly detail: string;
  readonly expected?: string;
  readonly computed?: string;
  readonly reason?: SchemaReason;
}

export function schemaFinding(member: string, detail: string, reason?: SchemaReason): Finding {
  return { code: 'SCHEMA_ERROR', member, detail, ...(reason !== undefined && { reason }) };
}

/**
 * The finding that a value has no canonical form.
 * @throws the error itself when it is of another kind
 */
export function canonicalizationFinding(error: unknown): Finding {
  if (!(error instanceof CerError) || error.code !== 'CANONICALIZATION_ERROR') throw error;
  return { code: 'CANONICALIZATION_ERROR', member: error.path, detail: `has no canonical form (${error.message})` };
}

/** The findings by the precedence of their codes. @see docs/spec.md, "Verification codes" */
export function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const rank = ({ code }: Finding): number => CER_VERIFY_CODES.indexOf(code);
  return [...findings].sort((left, right) => rank(left) - rank(right));
}

export function describeFinding({ code, member, detail, expected, computed }: Finding): string {
  const hashes =
    expected === undefined && computed === undefined
      ? ''
      : ` (expected ${expected ?? 'none'}, computed ${computed ?? 'none'})`;
  return `${code}: ${member === '' ? '' : `${member} `}${detail}${hashes}`;
}
