import * as z from 'zod';

/** Protocols from the weakest to the strongest. */
export const PROTOCOLS = ['1.2.0', '1.3.0', '1.3.1'] as const;
export type ProtocolVersion = (typeof PROTOCOLS)[number];

const MAX_RETENTION_DAYS = 36_500;
const MAX_METADATA_NAMES = 50;

/** Counted in code points; no control characters and no lone surrogates. */
const metadataName = z.string().regex(/^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,256}$/u, {
  error: 'must have 1 to 256 characters, without control characters and lone surrogates',
});

/**
 * The settings with which a tenant's records are made, kept and shown. Both introspections carry them; the node's
 * administrators may state some of them too.
 * @see docs/spec.md, "Public form" and "Retention"
 */
export const TenantSettings = z.object({
  publish: z.object({
    context: z.boolean(),
    prompt: z.boolean(),
    instruction: z.boolean(),
    metadata: z.union([z.literal('none'), z.literal('all'), z.array(metadataName).min(1).max(MAX_METADATA_NAMES)]),
  }),
  /** The bridge accepts nothing weaker from this tenant. */
  minimumProtocol: z.enum(PROTOCOLS),
  /** Null: records are never deleted. */
  retentionDays: z.int().min(1).max(MAX_RETENTION_DAYS).nullable(),
  /** Whether new records can be looked up without a key. */
  visibility: z.enum(['public', 'hidden']),
  /** While set, retention deletes nothing. */
  legalHold: z.boolean(),
});

export type TenantSettings = Readonly<z.output<typeof TenantSettings>>;
