import type { FailureCode } from '@cer/cer-core';
import { adviceFor } from '../report/advice.js';
import type { PackageCode } from './package-finding.js';

const GET_AGAIN =
  'Get the package again from the node (cer records export), or ask your source for the one that the node made.';

const ASK_OPERATOR =
  'Get the package again. If it fails again, the operator cannot prove that it is complete: treat it as incomplete.';
const EVIDENCE =
  'Keep this package: it shows that the operator logged or signed records that it withholds. Ask for the reason.';

/** The advice for each failure of a package itself. */
const ADVICE = {
  PACKAGE_MALFORMED: GET_AGAIN,
  PACKAGE_TOO_LARGE: 'Ask for a package of a shorter period, or read larger ones with --max-bytes N.',
  ENTRY_NAME_UNSAFE: GET_AGAIN,
  ENTRY_DUPLICATE: GET_AGAIN,
  ENTRY_SPECIAL_FILE: GET_AGAIN,
  ENTRY_ENCRYPTED: GET_AGAIN,
  ENTRY_HEADER_MISMATCH: GET_AGAIN,
  ENTRY_UNLISTED: GET_AGAIN,
  ENTRY_MISSING: GET_AGAIN,
  ENTRY_CHANGED: GET_AGAIN,
  MANIFEST_MISSING: GET_AGAIN,
  MANIFEST_INVALID: GET_AGAIN,
  RECORDS_MISMATCH: GET_AGAIN,
  CERTIFICATE_FAILED: 'Take the line out of its file and give it to cer verify, which reports its faults.',
  COVERAGE_INVALID: ASK_OPERATOR,
  LOG_PROOF_MISSING:
    'Export it again in a few minutes, with filters by time, application and bundle type alone. If it has no proof then, ask the operator.',
  LOG_EPOCH_INVALID: ASK_OPERATOR,
  LOG_HEAD_INVALID: ASK_OPERATOR,
  LOG_RANGE_INVALID: ASK_OPERATOR,
  LOG_TENANT_FORK: EVIDENCE,
  LOG_TENANT_MISMATCH: ASK_OPERATOR,
  LOG_RECORD_MISSING: EVIDENCE,
  LOG_RECORD_UNLOGGED: EVIDENCE,
} as const satisfies Record<PackageCode, string>;

/** The advice for the decisive finding. */
export function packageAdvice(code: PackageCode | FailureCode, unavailable: string | null): string {
  return isPackageCode(code) ? ADVICE[code] : adviceFor(code, unavailable);
}

function isPackageCode(code: PackageCode | FailureCode): code is PackageCode {
  return Object.hasOwn(ADVICE, code);
}
