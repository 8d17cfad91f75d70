/** What a hold can keep. */
export type HeldKind = 'records' | 'projects';

/**
 * Holds on what is under one hash: of a certificate, a reseal or a project. While one stands nothing under it is deleted,
 * by whomever: the condition is part of every statement that deletes. Holds of whole tenants are in their settings.
 */
export interface LegalHoldStore {
  /**
   * Places a hold, unless nothing is there to be kept. When it resolves, no deletion is under way that missed it.
   * @param tenantId null for what any tenant has under the hash, now or later
   * @returns how many are held under the hash now; 0: there is nothing, and no hold was placed
   */
  place(kind: HeldKind, hash: string, tenantId: string | null): Promise<number>;
  /**
   * Releases the holds that were placed under exactly this hash, of one tenant or, for null, all of them.
   * @returns how many holds there were
   */
  release(hash: string, tenantId: string | null): Promise<number>;
  /** How many that are not deleted are held under a hash, of one tenant or of all, its tenant's own hold included. */
  held(kind: HeldKind, hash: string, tenantId: string | null): Promise<number>;
}
