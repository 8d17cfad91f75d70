import { member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { checkMembers, type MemberRules } from './checks.js';
import { rawValue } from '../schema/rules.js';
import type { Finding } from '../finding.js';
import {
  checkExecutionMembers,
  checkPreviousStepHash,
  checkSealedMembers,
  hashFormFinding,
} from './execution-members.js';
import { isRedacted, type Layout, type LayoutContext } from './layout.js';
import { checkToolHashForms, checkToolValueHashes } from './tool-calls.js';
import { valueHashFinding } from './value-hash.js';

export const V1_SNAPSHOT_TYPE = 'ai.execution.v1';

export const EXECUTION_HASHED_MEMBERS = [
  'bundleType',
  'version',
  'createdAt',
  'snapshot',
  'context',
  'contextSummary',
  'policyEvaluation',
] as const;

const v1Rules: MemberRules = [
  ['type', (value) => (value === V1_SNAPSHOT_TYPE ? null : `must be "${V1_SNAPSHOT_TYPE}"`)],
];

const rawRules: MemberRules = [
  ['input', (value) => (typeof value === 'string' ? null : rawValue(value))],
  ['output', (value) => (typeof value === 'string' ? null : rawValue(value))],
];

const hashedValues = [
  { name: 'input', hashName: 'inputHash', code: 'INPUT_HASH_MISMATCH' },
  { name: 'output', hashName: 'outputHash', code: 'OUTPUT_HASH_MISMATCH' },
] as const;

function checkHashForms(context: LayoutContext): Finding[] {
  const { snapshot, resealed } = context;
  const findings: Finding[] = [];
  for (const { hashName } of hashedValues) {
    if (resealed && isRedacted(member(snapshot, hashName))) continue;
    const finding = hashFormFinding(snapshot, 'snapshot.', hashName, true);
    if (finding !== null) findings.push(finding);
  }
  return [...findings, ...checkPreviousStepHash(context), ...checkToolHashForms(context)];
}

/**
 * Raw values, and the sealed objects that replace them, hash to inputHash and outputHash. Both wrong is one finding.
 */
function checkInputAndOutput({ snapshot, protocol, resealed }: LayoutContext): Finding[] {
  const wrong: Finding[] = [];
  for (const { name, hashName, code } of hashedValues) {
    const value = member(snapshot, name);
    const expected = member(snapshot, hashName);
    if (value === undefined || typeof expected !== 'string') continue;
    if (resealed && (isRedacted(value) || isRedacted(expected))) continue;
    const finding = valueHashFinding(value, expected, protocol.profile, { path: 'snapshot.', name, hashName, code });
    if (finding !== null) wrong.push(finding);
  }
  const areBoth = wrong.length === 2 && wrong.every(({ code }) => code !== 'CANONICALIZATION_ERROR');
  return areBoth ? wrong.map((finding) => ({ ...finding, code: 'SNAPSHOT_HASH_MISMATCH' })) : wrong;
}

/** `cer.ai.execution.v1`. @see docs/spec.md, "cer.ai.execution.v1" */
export const executionV1: Layout = {
  name: V1_SNAPSHOT_TYPE,
  version: '0.1',
  hashedMembers: EXECUTION_HASHED_MEMBERS,
  supportsProtocol: () => true,
  knownSnapshotMembers: [
    'type',
    'protocolVersion',
    'executionSurface',
    'executionId',
    'timestamp',
    'provider',
    'model',
    'modelVersion',
    'prompt',
    'input',
    'inputHash',
    'parameters',
    'output',
    'outputHash',
    'sdkVersion',
    'appId',
    'metadata',
    'prevStepHash',
    'toolCalls',
  ],
  requiredSnapshotMembers: (protocol) => ['executionId', 'timestamp', 'provider', 'model', ...protocol.requiredMembers],
  checkSchema: (context) => [
    ...checkMembers(context.snapshot, 'snapshot.', v1Rules, context),
    ...checkExecutionMembers(context),
    ...checkSealedMembers(context),
    ...(context.protocol.sealing === 'plain' ? checkMembers(context.snapshot, 'snapshot.', rawRules, context) : []),
  ],
  checkProtectedSet: () => [],
  checkHashForms,
  checkValueHashes: (context) => [...checkInputAndOutput(context), ...checkToolValueHashes(context)],
  projectForHash: (bundle: JsonObject) => pickPresent(bundle, EXECUTION_HASHED_MEMBERS),
};
