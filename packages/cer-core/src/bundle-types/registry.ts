import { isJsonObject, member, type JsonObject } from '@cer/canonical-json';
import { codemodeRender, RENDER_BUNDLE_TYPE, RENDER_SNAPSHOT_TYPE } from './codemode-render.js';
import { executionV1, V1_SNAPSHOT_TYPE } from './execution-v1.js';
import { executionV2, V2_SNAPSHOT_TYPE } from './execution-v2.js';
import type { Layout, Relaxation } from './layout.js';
import { isFlatRenderRecord, legacyExecution, legacyRelaxationsOf, legacyRender } from './legacy.js';

export const EXECUTION_V1 = 'cer.ai.execution.v1';
export const EXECUTION_V2 = 'cer.ai.execution.v2';
export const RESEAL = 'signed-redacted-reseal';
/** `meta.provenance.kind` of a reseal. */
export const REDACTED_RESEAL = 'redacted_reseal';
export const HASH_ONLY = 'hash-only-timestamp';
export const LEGACY = 'legacy';
export const PROJECT = 'cer.project.bundle.v1';

/** The receipts that fit a bundle: the member sets are disjoint, so one never serves for another. */
export type ReceiptScope = 'full' | 'hash-only' | 'reseal' | 'project';

/** How to read a bundle: with a null layout only the form of its hash can be checked. */
export interface Reading {
  readonly layout: Layout | null;
  readonly resealed: boolean;
  readonly relaxations: readonly Relaxation[];
}

export interface BundleType {
  readonly name: string;
  readonly receiptScope: ReceiptScope;
  /** True where an unsigned bundle proves nothing. */
  readonly needsReceipt: boolean;
  /** How to read this bundle of the type, or null when its snapshot names a layout that the type does not know. */
  readonly read: (bundle: JsonObject) => Reading | null;
}

/** The layout that the hashed `snapshot.type` names; a reseal without one has the layout of v1. */
const layoutBySnapshotType: ReadonlyMap<string, Layout> = new Map([
  [V1_SNAPSHOT_TYPE, executionV1],
  [V2_SNAPSHOT_TYPE, executionV2],
  [RENDER_SNAPSHOT_TYPE, codemodeRender],
]);

function readReseal(bundle: JsonObject): Reading | null {
  const snapshot = member(bundle, 'snapshot');
  const stated = isJsonObject(snapshot) ? member(snapshot, 'type') : undefined;
  const layout =
    stated === undefined ? executionV1 : typeof stated === 'string' ? layoutBySnapshotType.get(stated) : undefined;
  return layout === undefined ? null : { layout, resealed: true, relaxations: [] };
}

function readExecutionV1(bundle: JsonObject): Reading {
  const relaxations = legacyRelaxationsOf(bundle);
  return relaxations.length === 0
    ? { layout: executionV1, resealed: false, relaxations }
    : { layout: legacyExecution, resealed: false, relaxations };
}

/** One of the closed list of older shapes, or null: the name alone is not enough. */
function readLegacy(bundle: JsonObject): Reading | null {
  if (isFlatRenderRecord(bundle)) {
    return { layout: legacyRender, resealed: false, relaxations: ['flat-render-record'] };
  }
  const relaxations = legacyRelaxationsOf(bundle);
  return relaxations.length === 0 ? null : { layout: legacyExecution, resealed: false, relaxations };
}

const rows: readonly BundleType[] = [
  { name: EXECUTION_V1, receiptScope: 'full', needsReceipt: false, read: readExecutionV1 },
  {
    name: EXECUTION_V2,
    receiptScope: 'full',
    needsReceipt: false,
    read: () => ({ layout: executionV2, resealed: false, relaxations: [] }),
  },
  {
    name: RENDER_BUNDLE_TYPE,
    receiptScope: 'full',
    needsReceipt: false,
    read: () => ({ layout: codemodeRender, resealed: false, relaxations: [] }),
  },
  { name: RESEAL, receiptScope: 'reseal', needsReceipt: false, read: readReseal },
  {
    name: HASH_ONLY,
    receiptScope: 'hash-only',
    needsReceipt: true,
    read: () => ({ layout: null, resealed: false, relaxations: [] }),
  },
  {
    name: LEGACY,
    receiptScope: 'full',
    needsReceipt: false,
    read: readLegacy,
  },
];

/** A Map, so that `"__proto__"` finds nothing. */
export type BundleTypeRegistry = ReadonlyMap<string, BundleType>;

export const BUNDLE_TYPES: BundleTypeRegistry = new Map(rows.map((row) => [row.name, row]));

/** The row for a bundle, or null: an unknown type fails closed. A flat render record needs no `bundleType`. */
export function bundleTypeOf(bundle: JsonObject, registry: BundleTypeRegistry = BUNDLE_TYPES): BundleType | null {
  const stated = member(bundle, 'bundleType');
  if (stated === undefined && isFlatRenderRecord(bundle)) return registry.get(LEGACY) ?? null;
  return typeof stated === 'string' ? (registry.get(stated) ?? null) : null;
}
