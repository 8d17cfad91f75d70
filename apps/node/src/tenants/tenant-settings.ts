import { z } from 'zod';
import type { JsonObject } from '@cer/canonical-json';
import { DEFAULT_PUBLISH_SETTINGS, type PublishSettings } from '@cer/cer-core/attest';
import type { StatedBySource, StatedSettings } from '../store/index.js';

/** How a tenant's records are made, kept and shown. */
export interface TenantSettings {
  readonly publish: PublishSettings;
  /** Null keeps records for ever. */
  readonly retentionDays: number | null;
  /** Whether new records are found without a key. */
  readonly visibility: 'public' | 'hidden';
  /** While true nothing of the tenant is deleted. */
  readonly legalHold: boolean;
}

const MAX_RETENTION_DAYS = 36_500;
const MAX_METADATA_NAMES = 50;

const flag = z.boolean({ error: 'must be true or false' });
const metadataNames = z
  .array(z.string().regex(/^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]{1,256}$/u))
  .min(1)
  .max(MAX_METADATA_NAMES);

const publishMembers = {
  context: flag.optional(),
  prompt: flag.optional(),
  instruction: flag.optional(),
  metadata: z
    .union([z.literal('none'), z.literal('all'), metadataNames], { error: 'must be none, all or a list of names' })
    .optional(),
};

const settingsMembers = {
  retentionDays: z
    .int({ error: 'must be a whole number of days or null' })
    .min(1, { error: 'must be 1 or more' })
    .max(MAX_RETENTION_DAYS, { error: `must be at most ${MAX_RETENTION_DAYS}` })
    .nullable()
    .optional(),
  visibility: z.enum(['public', 'hidden'], { error: 'must be public, hidden or null' }).nullable().optional(),
  legalHold: flag.optional(),
};

/** What an administrator may change: members that are left out stay, null takes back what was said. */
export const SettingsChange = z
  .strictObject({ ...settingsMembers, publish: z.strictObject(publishMembers).nullable().optional() })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: `must have one of ${[...Object.keys(settingsMembers), 'publish'].join(', ')}`,
  });

/** What the control plane says; it may know settings that are none of the node's. @see docs/spec.md, "Introspection" */
export const ControlPlaneSettings = z.object({ ...settingsMembers, publish: z.object(publishMembers).optional() });

/** What the public form shows, as it is stored. */
const StoredPublish = z.object(publishMembers);

type Stated = z.output<typeof SettingsChange> | z.output<typeof ControlPlaneSettings>;

/** A change as the store takes it: only what is given. */
export function toStated({ publish, retentionDays, visibility, legalHold }: Stated): Partial<StatedSettings> {
  return {
    ...(publish !== undefined && { publishJson: publish === null ? null : JSON.stringify(publish) }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(visibility !== undefined && { visibility }),
    ...(legalHold !== undefined && { legalHold }),
  };
}

/**
 * What holds for a tenant: what an administrator of the node said, else what the control plane said, else the defaults,
 * each member by itself. A legal hold of either holds.
 * @see docs/spec.md, "Retention"
 */
export function settingsOf({ node, 'control-plane': controlPlane }: StatedBySource): TenantSettings {
  return {
    publish: { ...DEFAULT_PUBLISH_SETTINGS, ...publishOf(controlPlane), ...publishOf(node) },
    retentionDays: node?.retentionDays ?? controlPlane?.retentionDays ?? null,
    visibility: node?.visibility ?? controlPlane?.visibility ?? 'public',
    legalHold: (node?.legalHold ?? false) || (controlPlane?.legalHold ?? false),
  };
}

/** What one source says, for people and for the audit log; null when it says nothing. */
export function shownStated(stated: Partial<StatedSettings> | null): JsonObject | null {
  if (stated === null) return null;
  const { publishJson, ...others } = stated;
  if (publishJson === undefined) return others;
  return { ...others, publish: publishJson === null ? null : publishFrom(publishJson) };
}

export function shownSettings({ publish, ...settings }: TenantSettings): JsonObject {
  return { ...settings, publish: { ...publish } };
}

function publishOf(stated: StatedSettings | null): Partial<PublishSettings> {
  return stated?.publishJson == null ? {} : publishFrom(stated.publishJson);
}

/** Members that a later release wrote are left out. */
function publishFrom(json: string): Partial<PublishSettings> & JsonObject {
  const { context, prompt, instruction, metadata } = StoredPublish.parse(JSON.parse(json));
  return {
    ...(context !== undefined && { context }),
    ...(prompt !== undefined && { prompt }),
    ...(instruction !== undefined && { instruction }),
    ...(metadata !== undefined && { metadata }),
  };
}
