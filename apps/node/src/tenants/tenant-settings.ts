import { z } from 'zod';
import type { JsonObject } from '@cer/canonical-json';
import { DEFAULT_PUBLISH_SETTINGS, type PublishSettings } from '@cer/cer-core/attest';
import type { StatedBySource, StatedSettings } from '../store/index.js';

/** Settings for creating, retaining and publishing a tenant's records. */
export interface TenantSettings {
  readonly publish: PublishSettings;
  /** Null: records are kept indefinitely. */
  readonly retentionDays: number | null;
  /** Whether new records are public. */
  readonly visibility: 'public' | 'hidden';
  /** While true, nothing of the tenant is deleted. */
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

/** An administrator's change: absent members stay, null unsets a member. */
export const SettingsChange = z
  .strictObject({ ...settingsMembers, publish: z.strictObject(publishMembers).nullable().optional() })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: `must have one of ${[...Object.keys(settingsMembers), 'publish'].join(', ')}`,
  });

/** The control plane's settings, which may include others that the node ignores. @see docs/spec.md, "Introspection" */
export const ControlPlaneSettings = z.object({ ...settingsMembers, publish: z.object(publishMembers).optional() });

/** The published members in stored form. */
const StoredPublish = z.object(publishMembers);

type Stated = z.output<typeof SettingsChange> | z.output<typeof ControlPlaneSettings>;

/** A change for the store, with the given members only. */
export function toStated({ publish, retentionDays, visibility, legalHold }: Stated): Partial<StatedSettings> {
  return {
    ...(publish !== undefined && { publishJson: publish === null ? null : JSON.stringify(publish) }),
    ...(retentionDays !== undefined && { retentionDays }),
    ...(visibility !== undefined && { visibility }),
    ...(legalHold !== undefined && { legalHold }),
  };
}

/**
 * The effective settings of a tenant, member by member: of the node's administrator, otherwise of the control plane,
 * otherwise the default. A legal hold of either source applies.
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

/** One source's settings, for responses and the audit log; null without settings. */
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

/** Members written by a later release are ignored. */
function publishFrom(json: string): Partial<PublishSettings> & JsonObject {
  const { context, prompt, instruction, metadata } = StoredPublish.parse(JSON.parse(json));
  return {
    ...(context !== undefined && { context }),
    ...(prompt !== undefined && { prompt }),
    ...(instruction !== undefined && { instruction }),
    ...(metadata !== undefined && { metadata }),
  };
}
