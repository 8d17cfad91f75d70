import type { CacheTimes } from '@cer/http-service';
import * as z from 'zod';

/** Cache lifetime of answers about keys: a revoked key stops working within it. @see docs/spec.md, "Introspection" */
export const CONTROL_PLANE_TIMES: CacheTimes = { foundMs: 1500, unknownMs: 1000 };

/** With or without the prefix that hashes have elsewhere. */
export const KeyIntrospectionRequest = z.object({
  keyHash: z.string().regex(/^(sha256:)?[0-9a-f]{64}$/, { error: 'must be 64 lower-case hex digits' }),
});

export const SessionIntrospectionRequest = z.object({
  tenantId: z.string().min(1).max(100),
  sub: z.string().min(1).max(100),
});

const id = z.string().min(1);
const limit = z.int().min(0).max(1_000_000_000).nullable().default(null);

const Limits = z.object({ requestsPerMinute: limit, executionsPerMonth: limit });

/** Limits of a plan; null: unlimited. */
export type PlanLimits = Readonly<z.output<typeof Limits>>;

/** The whole answer for an unknown, revoked or expired key, and for a user who is not admitted. */
const Inactive = z.object({ active: z.literal(false) });

const accountWith = <Settings extends z.ZodType>(settings: Settings) => ({
  tenantName: z.string(),
  accountStatus: z.string(),
  plan: z.string().optional(),
  limits: Limits.prefault({}),
  entitlements: z.object({ bridge: z.boolean() }),
  settings,
});

/**
 * The answer about a key. A key of a suspended account is not active either, but its holder may learn why.
 * @param settings the members of the tenant's settings that the reader uses; the others may be those of a later release
 * @see docs/spec.md, "Introspection"
 */
export const keyIntrospection = <Settings extends z.ZodType>(settings: Settings) =>
  z.union([
    z.object({
      active: z.boolean(),
      tenantId: id,
      keyId: id,
      scopes: z.array(z.string()).readonly(),
      ...accountWith(settings),
    }),
    Inactive,
  ]);

/** The answer about a user who was handed over. @param settings as of `keyIntrospection` */
export const sessionIntrospection = <Settings extends z.ZodType>(settings: Settings) =>
  z.union([
    z.object({
      active: z.boolean(),
      user: z.object({ id, email: z.string(), name: z.string() }),
      /** Sessions that began before have ended. */
      sessionsEndedAt: z.iso.datetime().optional(),
      ...accountWith(settings),
    }),
    Inactive,
  ]);
