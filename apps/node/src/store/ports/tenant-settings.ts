/** The source of settings: an administrator of this node, or the latest answer of the control plane. */
export type SettingsSource = 'node' | 'control-plane';

/** One source's settings of a tenant; null for unset members. */
export interface StatedSettings {
  /** The published members, as JSON. */
  readonly publishJson: string | null;
  /** Retention period of records in days. */
  readonly retentionDays: number | null;
  /** Whether new records are public. */
  readonly visibility: 'public' | 'hidden' | null;
  /** While true, nothing of the tenant is deleted, regardless of the other source. */
  readonly legalHold: boolean;
}

/** The settings of a tenant by source; null for a source without settings. */
export type StatedBySource = Readonly<Record<SettingsSource, StatedSettings | null>>;

export interface TenantSettingsStore {
  find(tenantId: string): Promise<StatedBySource>;
  /** Sets the given members in one commit and leaves the others. */
  set(tenantId: string, source: SettingsSource, change: Partial<StatedSettings>): Promise<void>;
  /** The tenants with a retention period from any source, in order, at most `limit` after `after`. */
  withRetention(after: string, limit: number): Promise<readonly string[]>;
  /** Whether this node knows the tenant, from its own list or from settings. */
  knows(tenantId: string): Promise<boolean>;
}
