import { controlPlaneAt, keyIntrospection } from '@cer/control-plane';
import type { Secret } from '@cer/http-service/config';
import type { SettingsMemory } from '../tenants/settings-memory.js';
import { ControlPlaneSettings, toStated } from '../tenants/tenant-settings.js';
import type { KeyDirectory } from './key-directory.js';

const Introspection = keyIntrospection(ControlPlaneSettings.optional());

const NOTHING_STATED = { publishJson: null, retentionDays: null, visibility: null, legalHold: false } as const;

/**
 * Looks up API keys in the control plane. Only the hash of a key is sent.
 * @param remember stores the control plane's settings of the tenant and returns the effective ones
 */
export function controlPlaneDirectory(url: string, token: Secret<string>, remember: SettingsMemory): KeyDirectory {
  const ask = controlPlaneAt(url, token);
  return {
    find: async (keyHash) => {
      const response = await ask('key', { keyHash });
      const answer = Introspection.parse(await response.json());
      if (!('tenantId' in answer)) return null;
      const { tenantId, keyId, scopes, limits, settings } = answer;
      const stated = settings === undefined ? null : { ...NOTHING_STATED, ...toStated(settings) };
      // Before the account status is checked: a legal hold must stop the sweeper for suspended accounts too.
      const { publish } = await remember(tenantId, stated);
      if (!answer.active || answer.accountStatus !== 'active') return null;
      return { tenantId, keyId, scopes: new Set(scopes), limits, publish };
    },
  };
}
