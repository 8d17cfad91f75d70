/** The parts of its records that a tenant publishes. Applied when a record is made. @see docs/spec.md, "Public form" */
export interface PublishSettings {
  /** Also contextSummary and policyEvaluation. */
  readonly context: boolean;
  readonly prompt: boolean;
  readonly instruction: boolean;
  /** Of `meta.metadata` and `snapshot.metadata`: nothing, everything, or these names. */
  readonly metadata: 'none' | 'all' | readonly string[];
}

export const DEFAULT_PUBLISH_SETTINGS: PublishSettings = {
  context: true,
  prompt: false,
  instruction: false,
  metadata: 'none',
};
