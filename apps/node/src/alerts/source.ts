import type { AlertType, FiringAlert } from './alert-types.js';

/** Whether a condition holds now. */
export interface Observation extends FiringAlert {
  readonly isFiring: boolean;
  /** Start of an earlier look that found this, in ms since 1970: it says nothing about later changes. Absent: now. */
  readonly lookedMs?: number;
}

/** Observes the conditions of one type. */
export interface AlertSource {
  readonly type: AlertType;
  /** Whether a condition that is not observed has ended; otherwise this process knows nothing of it. */
  readonly isComplete: boolean;
  observe(at: Date): Promise<readonly Observation[]>;
}
