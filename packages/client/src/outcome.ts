/**
 * How a call ended. `complete`: by its protocol. `aborted`: by the caller, before the end. `failed`: refused by the
 * provider, or no answer. `truncated`: the answer ended or broke off before the end.
 */
export type Outcome = 'complete' | 'aborted' | 'failed' | 'truncated';
