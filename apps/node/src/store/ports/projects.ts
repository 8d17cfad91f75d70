import type { Visibility } from './certificate-record.js';
import type { NewLeaf } from './log-leaves.js';

export interface ProjectStep {
  readonly stepId: string;
  readonly certificateHash: string;
}

/** One registration of one tenant, unique on (tenant, projectHash). Steps are references, never bundles. */
export interface ProjectRegistration {
  readonly tenantId: string;
  readonly projectHash: string;
  /** The node's time: ISO 8601, UTC, milliseconds, `Z`. */
  readonly registeredAt: string;
  readonly totalSteps: number;
  /** The hashed members of the project bundle, without embedded bundles. */
  readonly projectJson: string;
  /** In registry order. */
  readonly stepHashes: readonly ProjectStep[];
  readonly receiptJson: string;
  readonly signature: string;
  readonly kid: string;
  readonly requestId: string;
}

/** `existing` is null when the registration was deleted. */
export type RegisterOutcome =
  | { readonly registered: true }
  | { readonly registered: false; readonly existing: ProjectRegistration | null };

export interface ProjectStore {
  /**
   * Stores a registration unless the tenant already registered this hash. The tenant's settings, read in the same
   * transaction, determine its visibility.
   */
  registerOnce(registration: ProjectRegistration, leaf?: NewLeaf): Promise<RegisterOutcome>;
  /** The public registration: the earliest visible one of this hash. */
  findByHash(projectHash: string): Promise<ProjectRegistration | null>;
  /** The tenant's registration, including a hidden one. */
  findOwnByHash(tenantId: string, projectHash: string): Promise<ProjectRegistration | null>;
  /** As for records. @returns the number of changed registrations */
  setVisibility(projectHash: string, visibility: Visibility, tenantId?: string, auditSeq?: number): Promise<number>;
}
