/** Kinds of items under a hold. */
export type HeldKind = 'records' | 'projects';

/**
 * Legal holds on one hash: of a certificate, a reseal or a project. While one exists nothing under the hash is deleted:
 * the condition is part of every delete statement. Holds on whole tenants are in their settings.
 */
export interface LegalHoldStore {
  /**
   * Places a hold, unless nothing exists under the hash. When it resolves, no deletion that missed it is in progress.
   * @param tenantId null for all tenants, including later records
   * @returns the number of held items under the hash; 0: none exist, and no hold was placed
   */
  place(kind: HeldKind, hash: string, tenantId: string | null): Promise<number>;
  /**
   * Releases the holds that were placed under exactly this hash, of one tenant or, for null, all of them.
   * @returns the number of released holds
   */
  release(hash: string, tenantId: string | null): Promise<number>;
  /** The number of undeleted items held under a hash, of one tenant or of all, including by tenant-wide holds. */
  held(kind: HeldKind, hash: string, tenantId: string | null): Promise<number>;
}
