import { isJsonObject, member, pickPresent, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { checkMembers, type MemberRules } from './checks.js';
import { label, nonEmptyText, timestamp } from '../schema/rules.js';
import { schemaFinding, type Finding } from '../finding.js';
import { checkBundleMembers, hashFormFinding } from './execution-members.js';
import { EXECUTION_HASHED_MEMBERS } from './execution-v1.js';
import { isRedacted, type Layout, type LayoutContext } from './layout.js';

export const RENDER_BUNDLE_TYPE = 'cer.codemode.render.v1';
export const RENDER_SNAPSHOT_TYPE = 'codemode.render.v1';
export const RENDER_HASH_SCHEME = 'rgba-chunk512k-sha256-v1';

const text = (value: JsonValue): string | null => (typeof value === 'string' ? null : 'must be a string');

function positiveInteger(value: JsonValue): string | null {
  return Number.isSafeInteger(value) && typeof value === 'number' && value > 0 ? null : 'must be a positive integer';
}

const snapshotRules: MemberRules = [
  ['type', (value) => (value === RENDER_SNAPSHOT_TYPE ? null : `must be "${RENDER_SNAPSHOT_TYPE}"`)],
  ['executionId', label],
  ['timestamp', timestamp],
  ['seed', text],
  ['vars', (value) => (isListOfNumbers(value) ? null : 'must be an array of numbers')],
  ['hashScheme', nonEmptyText],
  ['sdkVersion', nonEmptyText],
  ['rendererVersion', nonEmptyText],
];

function isListOfNumbers(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}

function checkCanvas({ snapshot, resealed }: LayoutContext): Finding[] {
  const canvas = member(snapshot, 'canvas');
  if (canvas === undefined || (resealed && isRedacted(canvas))) return [];
  if (!isJsonObject(canvas)) return [schemaFinding('snapshot.canvas', 'must be an object')];
  return ['width', 'height'].flatMap((name) => {
    const value = member(canvas, name);
    if (resealed && isRedacted(value)) return [];
    const broken = positiveInteger(value ?? null);
    return broken === null ? [] : [schemaFinding(`snapshot.canvas.${name}`, broken)];
  });
}

function checkExecution({ snapshot, resealed }: LayoutContext): Finding[] {
  const execution = member(snapshot, 'execution');
  if (execution === undefined || (resealed && isRedacted(execution))) return [];
  if (!isJsonObject(execution)) return [schemaFinding('snapshot.execution', 'must be an object')];
  const mode = member(execution, 'mode');
  return mode === 'static' || mode === 'loop' || (resealed && isRedacted(mode))
    ? []
    : [schemaFinding('snapshot.execution.mode', 'must be static or loop')];
}

/** Certificates from before engines existed have none. */
function checkEngine({ snapshot, resealed }: LayoutContext): Finding[] {
  const engine = member(snapshot, 'engine');
  if (engine === undefined || (resealed && isRedacted(engine))) return [];
  if (!isJsonObject(engine)) return [schemaFinding('snapshot.engine', 'must be an object')];
  const name = member(engine, 'name');
  if (resealed && isRedacted(name)) return [];
  const broken = nonEmptyText(name ?? null);
  return broken === null ? [] : [schemaFinding('snapshot.engine.name', broken)];
}

/** `cer.codemode.render.v1`: an image or loop from code, seed and variables. @see docs/spec.md, "cer.codemode.render.v1" */
export const codemodeRender: Layout = {
  name: RENDER_SNAPSHOT_TYPE,
  version: '0.1',
  hashedMembers: EXECUTION_HASHED_MEMBERS,
  // Code and pixels are public, so there is nothing to commit to.
  supportsProtocol: (protocol) => protocol.sealing === 'plain',
  knownSnapshotMembers: [
    'type',
    'protocolVersion',
    'executionId',
    'timestamp',
    'codeHash',
    'seed',
    'vars',
    'execution',
    'canvas',
    'hashScheme',
    'outputHash',
    'imageHash',
    'sdkVersion',
    'rendererVersion',
    'engine',
  ],
  requiredSnapshotMembers: () => [
    'type',
    'executionId',
    'timestamp',
    'seed',
    'vars',
    'execution',
    'canvas',
    'hashScheme',
    'sdkVersion',
    'rendererVersion',
  ],
  checkSchema: (context) => [
    ...checkBundleMembers(context),
    ...checkMembers(context.snapshot, 'snapshot.', snapshotRules, context),
    ...checkCanvas(context),
    ...checkExecution(context),
    ...checkEngine(context),
  ],
  checkProtectedSet: () => [],
  checkHashForms: ({ snapshot, resealed }) =>
    ['codeHash', 'outputHash', 'imageHash'].flatMap((name) => {
      if (resealed && isRedacted(member(snapshot, name))) return [];
      const finding = hashFormFinding(snapshot, 'snapshot.', name, true);
      return finding === null ? [] : [finding];
    }),
  checkValueHashes: () => [],
  projectForHash: (bundle: JsonObject) => pickPresent(bundle, EXECUTION_HASHED_MEMBERS),
};
