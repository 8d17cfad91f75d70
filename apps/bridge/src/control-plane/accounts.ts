import {
  keyIntrospection,
  sessionIntrospection,
  TenantSettings,
  type PlanLimits,
  type ProtocolVersion,
} from '@cer/control-plane';
import type * as z from 'zod';

const Settings = TenantSettings.pick({ minimumProtocol: true }).partial().optional();

export const KeyIntrospection = keyIntrospection(Settings);
export const SessionIntrospection = sessionIntrospection(Settings);

/** The sender of executions: a tenant, by one of its API keys. */
export interface KeyAccount {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
  readonly isActive: boolean;
  readonly hasBridge: boolean;
  readonly limits: PlanLimits;
  readonly minimumProtocol: ProtocolVersion;
}

/** The reader of the pages. */
export interface SessionAccount {
  readonly tenantName: string;
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly hasBridge: boolean;
  /** When the user last signed out, or was signed out, by the clock of the control plane; null: not known. */
  readonly sessionsEndedAt: string | null;
}

/** @returns null for a key that is unknown, revoked or expired */
export function keyAccountOf(answer: z.output<typeof KeyIntrospection>): KeyAccount | null {
  if (!('tenantId' in answer)) return null;
  const { tenantId, tenantName, keyId, scopes, limits, settings } = answer;
  return {
    tenantId,
    tenantName,
    keyId,
    scopes: new Set(scopes),
    isActive: answer.active && answer.accountStatus === 'active',
    hasBridge: answer.entitlements.bridge,
    limits,
    minimumProtocol: settings?.minimumProtocol ?? '1.2.0',
  };
}

/** @returns null for a user who is gone or of another tenant, and for a suspended account */
export function sessionAccountOf(answer: z.output<typeof SessionIntrospection>): SessionAccount | null {
  if (!('user' in answer) || !answer.active || answer.accountStatus !== 'active') return null;
  const { tenantName, user, entitlements, sessionsEndedAt = null } = answer;
  return { tenantName, user, hasBridge: entitlements.bridge, sessionsEndedAt };
}
