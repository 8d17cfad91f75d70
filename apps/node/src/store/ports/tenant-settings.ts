/** Who says it: an administrator of this node, or the control plane when it was last asked. */
export type SettingsSource = 'node' | 'control-plane';

/** What one source says of a tenant; null where it says nothing. */
export interface StatedSettings {
  /** What the public form shows, as JSON. */
  readonly publishJson: string | null;
  /** Records are deleted when they are older than so many days. */
  readonly retentionDays: number | null;
  /** Whether new records are found without a key. */
  readonly visibility: 'public' | 'hidden' | null;
  /** While true nothing of the tenant is deleted, whoever asks and whatever the other source says. */
  readonly legalHold: boolean;
}

/** What is said of a tenant; null for a source that never said anything. */
export type StatedBySource = Readonly<Record<SettingsSource, StatedSettings | null>>;

export interface TenantSettingsStore {
  find(tenantId: string): Promise<StatedBySource>;
  /** Sets the members that are given and leaves the others; all of them in one commit. */
  set(tenantId: string, source: SettingsSource, change: Partial<StatedSettings>): Promise<void>;
  /** The tenants of whom some source says how long records are kept, in order, at most `limit` after `after`. */
  withRetention(after: string, limit: number): Promise<readonly string[]>;
  /** Whether this node knows the tenant: as its own, or because something is said of it. */
  knows(tenantId: string): Promise<boolean>;
}
