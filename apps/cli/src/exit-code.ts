/** The exit codes. @see docs/spec.md, "Command line" */
export const EXIT = {
  verified: 0,
  failed: 1,
  notFound: 2,
  usage: 3,
  notJudged: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** From worst to best: a batch reports the worst of its items. */
const BY_WEIGHT: readonly ExitCode[] = [EXIT.usage, EXIT.failed, EXIT.notJudged, EXIT.notFound, EXIT.verified];

/** The exit code of many items: the weightiest of them, 0 when there are none. */
export function weightiest(codes: Iterable<ExitCode>): ExitCode {
  const seen = new Set(codes);
  return BY_WEIGHT.find((code) => seen.has(code)) ?? EXIT.verified;
}
