import { isJsonObject, member, pickPresent, type JsonObject } from '@cer/canonical-json';
import { jcsV1 } from '../profiles.js';
import { isSha256Hash } from '../hash.js';
import { checkMembers, type MemberRules } from './checks.js';
import { nonEmptyText, rawValue } from '../schema/rules.js';
import { schemaFinding, type Finding } from '../finding.js';
import { checkExecutionMembers, checkPreviousStepHash, checkSealedMembers } from './execution-members.js';
import { EXECUTION_HASHED_MEMBERS } from './execution-v1.js';
import type { Layout, LayoutContext } from './layout.js';
import { checkToolHashForms, checkToolValueHashes } from './tool-calls.js';

export const V2_SNAPSHOT_TYPE = 'ai.execution.v2';
const V2_PROTECTED_SET_ID = 'cer.ai.execution.v2';
export const EXECUTION_ROLES = ['advisory', 'operative', 'unspecified'] as const;
export const INSTRUCTION_KINDS = ['system', 'derived', 'label'] as const;

const looksLikeHash = /^sha-?256:/i;

function oneOf(allowed: readonly string[]): (value: unknown) => string | null {
  return (value) =>
    typeof value === 'string' && allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`;
}

const v2Rules: MemberRules = [
  ['type', (value) => (value === V2_SNAPSHOT_TYPE ? null : `must be "${V2_SNAPSHOT_TYPE}"`)],
  ['executionRole', oneOf(EXECUTION_ROLES)],
  ['instruction', nonEmptyText],
  ['instructionKind', oneOf(INSTRUCTION_KINDS)],
];

// A lone surrogate inside is found by the canonical form of the whole snapshot.
const rawRules: MemberRules = ['input', 'output'].map((name) => [
  name,
  (value) => (typeof value === 'string' ? null : rawValue(value)),
]);

function checkInstruction({ snapshot, resealed }: LayoutContext): Finding[] {
  if (resealed) return [];
  const hasInstruction = member(snapshot, 'instruction') !== undefined;
  const hasKind = member(snapshot, 'instructionKind') !== undefined;
  if (hasInstruction === hasKind) return [];
  return [
    schemaFinding(
      'snapshot.instructionKind',
      hasInstruction ? 'is required beside instruction' : 'is forbidden without instruction',
    ),
  ];
}

function checkConfidentialPrompt({ snapshot, protocol }: LayoutContext): Finding[] {
  if (protocol.sealing === 'commitments' || member(snapshot, 'prompt') === undefined) return [];
  return [schemaFinding('snapshot.prompt', 'is a member of confidential bundles only')];
}

/** The members of a bundle that its protected set must list, in this order. */
export function protectedSetOf(bundle: JsonObject): JsonObject {
  return {
    protectedSetId: V2_PROTECTED_SET_ID,
    protectedFields: EXECUTION_HASHED_MEMBERS.filter((name) => member(bundle, name) !== undefined),
    stabilitySchemeId: 'jcs-v1',
  };
}

function checkProtectedSet({ bundle }: LayoutContext): Finding[] {
  const stated = member(bundle, 'protectedSet');
  if (isJsonObject(stated) && canonicalOrNull(stated) === jcsV1.canonicalize(protectedSetOf(bundle))) return [];
  return [
    {
      code: 'PROTECTED_SET_MISMATCH',
      member: 'protectedSet',
      detail: stated === undefined ? 'is required' : 'does not list exactly the members that are present',
    },
  ];
}

function canonicalOrNull(value: JsonObject): string | null {
  try {
    return jcsV1.canonicalize(value);
  } catch {
    // A protected set without a canonical form does not match any protected set.
    return null;
  }
}

function checkHashForms(context: LayoutContext): Finding[] {
  const own = ['input', 'output'].flatMap((name): Finding[] => {
    const value = member(context.snapshot, name);
    if (typeof value !== 'string' || !looksLikeHash.test(value) || isSha256Hash(value)) return [];
    return [
      {
        code: 'INVALID_SHA256_FORMAT',
        member: `snapshot.${name}`,
        detail: 'looks like a hash and must then be sha256: and 64 lower-case hex digits',
      },
    ];
  });
  return [...own, ...checkPreviousStepHash(context), ...checkToolHashForms(context)];
}

/** `cer.ai.execution.v2`. @see docs/spec.md, "cer.ai.execution.v2" */
export const executionV2: Layout = {
  name: V2_SNAPSHOT_TYPE,
  version: '0.2',
  hashedMembers: EXECUTION_HASHED_MEMBERS,
  supportsProtocol: (protocol) => protocol.profile.name === 'jcs-v1',
  knownSnapshotMembers: [
    'type',
    'protocolVersion',
    'executionSurface',
    'executionId',
    'timestamp',
    'provider',
    'model',
    'modelVersion',
    'executionRole',
    'instruction',
    'instructionKind',
    'prompt',
    'input',
    'parameters',
    'output',
    'appId',
    'metadata',
    'prevStepHash',
    'toolCalls',
  ],
  requiredSnapshotMembers: (protocol) => [
    'type',
    'protocolVersion',
    'executionSurface',
    'executionId',
    'timestamp',
    'provider',
    'model',
    'modelVersion',
    'executionRole',
    'input',
    'output',
    'appId',
    ...protocol.requiredMembers.filter((name) => name === 'prompt'),
  ],
  checkSchema: (context) => [
    ...checkMembers(context.snapshot, 'snapshot.', v2Rules, context),
    ...checkInstruction(context),
    ...checkConfidentialPrompt(context),
    ...checkExecutionMembers(context),
    ...checkSealedMembers(context),
    ...(context.protocol.sealing === 'plain' ? checkMembers(context.snapshot, 'snapshot.', rawRules, context) : []),
  ],
  checkProtectedSet,
  checkHashForms,
  checkValueHashes: checkToolValueHashes,
  projectForHash: (bundle: JsonObject) => pickPresent(bundle, [...EXECUTION_HASHED_MEMBERS, 'protectedSet']),
};
