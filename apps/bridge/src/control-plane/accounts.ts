import { z } from 'zod';

/** Protocols from the weakest to the strongest. */
export const PROTOCOLS = ['1.2.0', '1.3.0', '1.3.1'] as const;
export type ProtocolVersion = (typeof PROTOCOLS)[number];

const Limit = z.number().int().min(0).nullable().optional();

const account = {
  tenantName: z.string(),
  accountStatus: z.string(),
  limits: z.object({ requestsPerMinute: Limit, executionsPerMonth: Limit }).partial().optional(),
  entitlements: z.object({ bridge: z.boolean() }),
  settings: z
    .object({ minimumProtocol: z.enum(PROTOCOLS) })
    .partial()
    .optional(),
};

const inactive = z.object({ active: z.literal(false) });

/**
 * The members of the control plane's answers that the bridge reads. An inactive answer may still say whose account it
 * is, so that its holder learns that it is suspended.
 * @see docs/spec.md, "Introspection"
 */
export const KeyIntrospection = z.union([
  z.object({
    active: z.boolean(),
    tenantId: z.string().min(1),
    keyId: z.string().min(1),
    scopes: z.array(z.string()),
    ...account,
  }),
  inactive,
]);

export const SessionIntrospection = z.union([
  z.object({
    active: z.boolean(),
    user: z.object({ id: z.string().min(1), email: z.string(), name: z.string() }),
    ...account,
  }),
  inactive,
]);

export interface PlanLimits {
  /** Null: unlimited. */
  readonly requestsPerMinute: number | null;
  readonly executionsPerMonth: number | null;
}

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
    limits: {
      requestsPerMinute: limits?.requestsPerMinute ?? null,
      executionsPerMonth: limits?.executionsPerMonth ?? null,
    },
    minimumProtocol: settings?.minimumProtocol ?? '1.2.0',
  };
}

/** @returns null for a user who is gone or of another tenant, and for a suspended account */
export function sessionAccountOf(answer: z.output<typeof SessionIntrospection>): SessionAccount | null {
  if (!('user' in answer) || !answer.active || answer.accountStatus !== 'active') return null;
  return { tenantName: answer.tenantName, user: answer.user, hasBridge: answer.entitlements.bridge };
}
