import { member, type JsonObject } from '@cer/canonical-json';
import { isSealedValue } from '../commitments/sealed-value.js';
import { isSha256Hash } from '../hash.js';
import { checkMembers, toFindings, type MemberRules } from './checks.js';
import {
  contextFaults,
  label,
  nonEmptyText,
  orNull,
  parameterFaults,
  plainObject,
  timestamp,
} from '../schema/rules.js';
import type { Finding } from '../finding.js';
import { schemaFinding } from '../finding.js';
import { checkToolCallSchema } from './tool-calls.js';
import { isRedacted, type LayoutContext } from './layout.js';

// Rules that the two AI execution layouts share.

const bundleRules: MemberRules = [
  ['createdAt', timestamp],
  ['contextSummary', plainObject],
  ['policyEvaluation', plainObject],
];

const snapshotRules: MemberRules = [
  ['executionSurface', (value) => (value === 'ai' ? null : 'must be "ai"')],
  ['executionId', label],
  ['timestamp', timestamp],
  ['provider', label],
  ['model', label],
  ['modelVersion', orNull(label)],
  ['appId', orNull(label)],
  ['sdkVersion', orNull(nonEmptyText)],
  ['prompt', nonEmptyText],
  ['metadata', plainObject],
];

/** Schema rules of the hashed members beside the snapshot, for every layout. */
export function checkBundleMembers(context: LayoutContext): Finding[] {
  const { bundle, resealed } = context;
  const bundleContext = member(bundle, 'context');
  return [
    ...(member(bundle, 'createdAt') === undefined && !resealed ? [schemaFinding('createdAt', 'is required')] : []),
    ...checkMembers(bundle, '', bundleRules, context),
    ...(bundleContext === undefined || (resealed && isRedacted(bundleContext))
      ? []
      : toFindings(contextFaults(bundleContext, false, resealed ? isRedacted : undefined))),
  ];
}

/** Schema rules of bundle and snapshot that v1 and v2 share. */
export function checkExecutionMembers(context: LayoutContext): Finding[] {
  const { snapshot, protocol, resealed } = context;
  const parameters = member(snapshot, 'parameters');
  const exempt = resealed ? isRedacted : undefined;
  return [
    ...checkBundleMembers(context),
    ...checkMembers(snapshot, 'snapshot.', snapshotRules, context),
    ...(parameters === undefined || (resealed && isRedacted(parameters))
      ? []
      : toFindings(parameterFaults(parameters, 'snapshot.parameters', protocol.exactParameters, exempt))),
    ...checkToolCallSchema(context),
  ];
}

/** Under a protocol that commits, `input` and `output` are sealed objects and nothing else. */
export function checkSealedMembers({ snapshot, protocol, resealed }: LayoutContext): Finding[] {
  if (protocol.sealing !== 'commitments') return [];
  return ['input', 'output'].flatMap((name) => {
    const value = member(snapshot, name);
    if (value === undefined || (resealed && isRedacted(value)) || isSealedValue(value)) return [];
    return [schemaFinding(`snapshot.${name}`, `must be a sealed commitment under ${protocol.version}`)];
  });
}

/** Hash members that are present must have the form of a hash; `required` ones must be present too. */
export function hashFormFinding(object: JsonObject, path: string, name: string, required: boolean): Finding | null {
  const value = member(object, name);
  if (value === undefined && !required) return null;
  if (isSha256Hash(value)) return null;
  const rule =
    value === undefined
      ? 'is required: sha256: and 64 lower-case hex digits'
      : 'must be sha256: and 64 lower-case hex digits';
  return { code: 'INVALID_SHA256_FORMAT', member: `${path}${name}`, detail: rule };
}

/** The first execution of a chain may state that it has no previous step. */
export function checkPreviousStepHash({ snapshot, resealed }: LayoutContext): Finding[] {
  const value = member(snapshot, 'prevStepHash');
  if (value === undefined || value === null || (resealed && isRedacted(value))) return [];
  const finding = hashFormFinding(snapshot, 'snapshot.', 'prevStepHash', false);
  return finding === null ? [] : [finding];
}
