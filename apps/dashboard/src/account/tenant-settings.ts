import { counted } from '@cer/cer-core/wording';
import { DEFAULT_PUBLISH_SETTINGS } from '@cer/cer-core/attest';
import { z } from 'zod';

const MAX_METADATA_NAMES = 50;
const MAX_RETENTION_DAYS = 36_500;

/** Protocols from the weakest to the strongest. */
export const PROTOCOLS = ['1.2.0', '1.3.0', '1.3.1'] as const;

const metadataName = z
  .string()
  .min(1)
  .max(256)
  .refine((name) => !/[\u0000-\u001f\u007f-\u009f]/.test(name), { error: 'must have no control characters' });

/** The settings with which a tenant's records are made, kept and shown; both introspections carry them. */
export const TenantSettings = z.object({
  publish: z.object({
    context: z.boolean(),
    prompt: z.boolean(),
    instruction: z.boolean(),
    metadata: z.union([z.literal('none'), z.literal('all'), z.array(metadataName).min(1).max(MAX_METADATA_NAMES)]),
  }),
  /** Nothing weaker is accepted from this tenant. */
  minimumProtocol: z.enum(PROTOCOLS),
  /** Null: records are never deleted. */
  retentionDays: z.number().int().min(1).max(MAX_RETENTION_DAYS).nullable(),
  /** Whether new records can be looked up without a key. */
  visibility: z.enum(['public', 'hidden']),
  /** While set, retention deletes nothing. */
  legalHold: z.boolean(),
});

export type TenantSettings = Readonly<z.output<typeof TenantSettings>>;

export const DEFAULT_SETTINGS: TenantSettings = {
  publish: { ...DEFAULT_PUBLISH_SETTINGS, metadata: 'none' },
  minimumProtocol: '1.2.0',
  retentionDays: null,
  visibility: 'public',
  legalHold: false,
};

/** All of the settings in one line, as the account's activity keeps them. */
export function summaryOf({ publish, minimumProtocol, retentionDays, visibility, legalHold }: TenantSettings): string {
  const { metadata, ...parts } = publish;
  const published = [
    ...Object.entries(parts).flatMap(([part, isPublished]) => (isPublished ? [part] : [])),
    ...(metadata === 'none' ? [] : [metadata === 'all' ? 'all metadata' : `metadata ${metadata.join(', ')}`]),
  ];
  return [
    `new records ${visibility}`,
    `published: ${published.length === 0 ? 'nothing more' : published.join(', ')}`,
    `at least protocol ${minimumProtocol}`,
    retentionDays === null ? 'kept indefinitely' : `kept ${counted(retentionDays, 'day')}`,
    legalHold ? 'legal hold' : 'no legal hold',
  ].join('; ');
}
