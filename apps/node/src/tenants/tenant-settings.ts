import * as z from 'zod';
import type { JsonObject } from '@cer/canonical-json';
import { DEFAULT_PUBLISH_SETTINGS, type PublishSettings } from '@cer/cer-core/attest';
import { TenantSettings as SettingsRules } from '@cer/control-plane';
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

const { shape } = SettingsRules;

const settingsMembers = {
  retentionDays: shape.retentionDays.optional(),
  visibility: shape.visibility.nullable().optional(),
  legalHold: shape.legalHold.optional(),
};

/** The published members, also in stored form. */
const Publish = shape.publish.partial();

/** An administrator's change: absent members stay, null unsets a member. */
export const SettingsChange = z
  .strictObject({ ...settingsMembers, publish: Publish.strict().nullable().optional() })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: `must have one of ${[...Object.keys(settingsMembers), 'publish'].join(', ')}`,
  });

/** The control plane's settings, which may include others that the node ignores. @see docs/spec.md, "Introspection" */
export const ControlPlaneSettings = z.object({ ...settingsMembers, publish: Publish.optional() });

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

/** The effective settings, and each source's part. */
export function shownSources(stated: StatedBySource): JsonObject {
  const { publish, ...settings } = settingsOf(stated);
  return {
    settings: { ...settings, publish: { ...publish } },
    stated: { node: shownStated(stated.node), controlPlane: shownStated(stated['control-plane']) },
  };
}

function publishOf(stated: StatedSettings | null): Partial<PublishSettings> {
  return stated?.publishJson == null ? {} : publishFrom(stated.publishJson);
}

/** Members written by a later release are ignored. */
function publishFrom(json: string): Partial<PublishSettings> & JsonObject {
  const { context, prompt, instruction, metadata } = Publish.parse(JSON.parse(json));
  return {
    ...(context !== undefined && { context }),
    ...(prompt !== undefined && { prompt }),
    ...(instruction !== undefined && { instruction }),
    ...(metadata !== undefined && { metadata }),
  };
}
