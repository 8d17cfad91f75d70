import type { AuditLog } from '../audit-log/audit-log.js';
import type { StatedSettings, Store } from '../store/index.js';
import { settingsOf, shownStated, type TenantSettings } from './tenant-settings.js';

export interface SettingsMemoryDeps {
  readonly store: Pick<Store, 'tenantSettings'>;
  readonly auditLog: AuditLog;
}

/**
 * Stores the control plane's latest settings of a tenant, for the sweeper and for requests without a key.
 * @param stated null when the answer has no settings: earlier ones stay in effect
 */
export type SettingsMemory = (tenantId: string, stated: StatedSettings | null) => Promise<TenantSettings>;

/** @see docs/spec.md, "Introspection" */
export function createSettingsMemory({ store, auditLog }: SettingsMemoryDeps): SettingsMemory {
  return async (tenantId, stated) => {
    const known = await store.tenantSettings.find(tenantId);
    if (stated === null || isSame(known['control-plane'], stated)) return settingsOf(known);
    // Logged first, so that every change has an entry.
    await auditLog.append({
      act: 'tenants.settings',
      target: tenantId,
      actor: 'control-plane',
      requestId: null,
      details: shownStated(stated) ?? {},
    });
    await store.tenantSettings.set(tenantId, 'control-plane', stated);
    return settingsOf({ ...known, 'control-plane': stated });
  };
}

function isSame(known: StatedSettings | null, stated: StatedSettings): boolean {
  return (
    known !== null &&
    known.publishJson === stated.publishJson &&
    known.retentionDays === stated.retentionDays &&
    known.visibility === stated.visibility &&
    known.legalHold === stated.legalHold
  );
}
