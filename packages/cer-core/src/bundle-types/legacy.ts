import { isJsonObject, member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { isSha256Hash } from '../hash.js';
import { hashFormFinding } from './execution-members.js';
import { executionV1 } from './execution-v1.js';
import type { Layout, Relaxation } from './layout.js';

// The closed list of older shapes. None relaxes hash equality, signatures, revocation or the form of a hash.
// @see docs/spec.md, "legacy"

/** Members of a flat render record that are in hash scope when present; all others are unbound. */
const FLAT_RENDER_MEMBERS = [
  'bundleType',
  'version',
  'createdAt',
  'protocolVersion',
  'sdkVersion',
  'runtimeHash',
  'codeHash',
  'seed',
  'varsHash',
  'executionId',
  'timestamp',
  'width',
  'height',
  'mode',
  'totalFrames',
  'fps',
  'animationHash',
  'posterHash',
] as const;

const FLAT_RENDER_REQUIRED = ['runtimeHash', 'codeHash', 'seed', 'varsHash', 'protocolVersion'] as const;

/** A render record from before bundles had a snapshot: recognized by its members, whatever type it states. */
export function isFlatRenderRecord(bundle: JsonObject): boolean {
  return !Object.hasOwn(bundle, 'snapshot') && FLAT_RENDER_REQUIRED.every((name) => member(bundle, name) !== undefined);
}

/** A v1 bundle whose snapshot states no type: same members, same hash rule. */
export function legacyRelaxationsOf(bundle: JsonObject): readonly Relaxation[] {
  const snapshot = member(bundle, 'snapshot');
  if (!isJsonObject(snapshot)) return [];
  return [
    ...(member(snapshot, 'type') === undefined ? (['snapshot-type-absent'] as const) : []),
    ...(member(snapshot, 'executionSurface') === undefined ? (['execution-surface-absent'] as const) : []),
  ];
}

export const legacyExecution: Layout = { ...executionV1, name: 'legacy execution' };

/** The top level of a flat record serves as its snapshot. */
export const legacyRender: Layout = {
  name: 'legacy render',
  version: '',
  hashedMembers: FLAT_RENDER_MEMBERS,
  supportsProtocol: (protocol) => protocol.sealing === 'plain',
  knownSnapshotMembers: FLAT_RENDER_MEMBERS,
  requiredSnapshotMembers: () => FLAT_RENDER_REQUIRED,
  checkSchema: () => [],
  checkProtectedSet: () => [],
  checkHashForms: ({ bundle }) =>
    ['runtimeHash', 'codeHash', 'varsHash', 'animationHash', 'posterHash'].flatMap((name) => {
      const value = member(bundle, name);
      if (value === undefined || isSha256Hash(value)) return [];
      const finding = hashFormFinding(bundle, '', name, true);
      return finding === null ? [] : [finding];
    }),
  checkValueHashes: () => [],
  projectForHash: (bundle) => pickPresent(bundle, FLAT_RENDER_MEMBERS),
};
