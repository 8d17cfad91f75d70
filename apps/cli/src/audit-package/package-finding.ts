import type { FailureCode } from '@cer/cer-core';

/** Failures of a package, in addition to the codes of its certificates. @see docs/spec.md, "Audit package" */
export type PackageCode =
  | 'PACKAGE_MALFORMED'
  | 'PACKAGE_TOO_LARGE'
  | 'ENTRY_NAME_UNSAFE'
  | 'ENTRY_DUPLICATE'
  | 'ENTRY_SPECIAL_FILE'
  | 'ENTRY_ENCRYPTED'
  | 'ENTRY_HEADER_MISMATCH'
  | 'ENTRY_UNLISTED'
  | 'ENTRY_MISSING'
  | 'ENTRY_CHANGED'
  | 'MANIFEST_MISSING'
  | 'MANIFEST_INVALID'
  | 'RECORDS_MISMATCH'
  | 'CERTIFICATE_FAILED'
  | 'COVERAGE_INVALID'
  | 'LOG_PROOF_MISSING'
  | 'LOG_EPOCH_INVALID'
  | 'LOG_HEAD_INVALID'
  | 'LOG_RANGE_INVALID'
  | 'LOG_TENANT_FORK'
  | 'LOG_TENANT_MISMATCH'
  | 'LOG_RECORD_MISSING'
  | 'LOG_RECORD_UNLOGGED';

export interface PackageFinding {
  readonly code: PackageCode | FailureCode;
  /** The entry, with the line where there is one; empty for the package as a whole. Of unknown origin: print safely. */
  readonly entry: string;
  readonly detail: string;
}

/** A package that is refused before unpacking, with the reason. */
export class PackageRefused extends Error {
  override readonly name = 'PackageRefused';
  readonly finding: PackageFinding;

  constructor(code: PackageCode, entry: string, detail: string) {
    super(detail);
    this.finding = { code, entry, detail };
  }
}

/** Maximum findings stored; further ones are only counted. */
const MAX_STORED = 100;

/** The findings in order; bounded for any input. */
export class PackageFindings {
  readonly stored: PackageFinding[] = [];
  readonly #codes = new Set<PackageFinding['code']>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  has(...codes: readonly PackageFinding['code'][]): boolean {
    return codes.some((code) => this.#codes.has(code));
  }

  hasOtherThan(code: PackageFinding['code']): boolean {
    return [...this.#codes].some((found) => found !== code);
  }

  add(code: PackageFinding['code'], entry: string, detail: string): void {
    this.#codes.add(code);
    this.#count += 1;
    if (this.stored.length < MAX_STORED) this.stored.push({ code, entry, detail });
  }
}
