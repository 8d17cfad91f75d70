import { z } from 'zod';
import type { CacheTimes } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import type { SettingsMemory } from '../tenants/settings-memory.js';
import { ControlPlaneSettings, toStated } from '../tenants/tenant-settings.js';
import type { KeyDirectory } from './key-directory.js';

/** Timeout of the control plane, in ms. */
const TIMEOUT_MS = 3000;

/** Cache lifetime of its answers: a revoked key stops working within it. @see docs/spec.md, "Introspection" */
export const CONTROL_PLANE_TIMES: CacheTimes = { foundMs: 1500, unknownMs: 1000 };

const limit = z.number().int().min(0).max(1_000_000_000).nullable();

// The members of the answer that the node uses. @see docs/spec.md, "Introspection"
const Introspection = z.union([
  z.object({
    active: z.literal(false),
    // For a suspended account: its keys are invalid, but its record settings still apply.
    tenantId: z.string().min(1).optional(),
    settings: ControlPlaneSettings.optional(),
  }),
  z.object({
    active: z.literal(true),
    tenantId: z.string().min(1),
    keyId: z.string().min(1),
    scopes: z.array(z.string()),
    accountStatus: z.string(),
    limits: z.object({ requestsPerMinute: limit, executionsPerMonth: limit }).partial().default({}),
    settings: ControlPlaneSettings.optional(),
  }),
]);

const NOTHING_STATED = { publishJson: null, retentionDays: null, visibility: null, legalHold: false } as const;

/**
 * Looks up API keys in the control plane. Only the hash of a key is sent.
 * @param remember stores the control plane's settings of the tenant and returns the effective ones
 */
export function controlPlaneDirectory(url: string, token: Secret<string>, remember: SettingsMemory): KeyDirectory {
  return {
    find: async (keyHash) => {
      const response = await fetch(`${url}/internal/v1/keys/introspect`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token.reveal()}` },
        body: JSON.stringify({ keyHash }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok) throw new Error(`the control plane answered ${response.status}`);
      const answer = Introspection.parse(await response.json());
      const { tenantId, settings } = answer;
      if (tenantId === undefined) return null;
      const stated = settings === undefined ? null : { ...NOTHING_STATED, ...toStated(settings) };
      // Before the account status is checked: a legal hold must stop the sweeper for suspended accounts too.
      const { publish } = await remember(tenantId, stated);
      if (!answer.active || answer.accountStatus !== 'active') return null;
      const { keyId, scopes, limits } = answer;
      const { requestsPerMinute = null, executionsPerMonth = null } = limits;
      return {
        tenantId,
        keyId,
        scopes: new Set(scopes),
        limits: { requestsPerMinute, executionsPerMonth },
        publish,
      };
    },
  };
}
