import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { EXECUTION_ROLES, INSTRUCTION_KINDS } from '../bundle-types/execution-v2.js';
import { EXECUTION_V1, EXECUTION_V2 } from '../bundle-types/registry.js';
import { isSha256Hash } from '../hash.js';
import {
  effectiveProtocolVersion,
  protocolFor,
  PROTOCOLS,
  type Protocol,
  type ProtocolRegistry,
} from '../protocols/protocols.js';
import {
  contextFaults,
  label,
  nonEmptyText,
  parameterFaults,
  plainObject,
  rawValue,
  signalFaults,
  timestamp,
  wellFormedLabel,
  type Fault,
  type Rule,
} from '../schema/rules.js';

// The description of an execution, as certify and create take it. Every fault is reported, so that a caller can fix all
// at once.
// @see docs/spec.md, "Describing an execution"

/**
 * Maximum levels of containers in a request: the body, and 96 levels in the value of a member.
 * @see docs/spec.md, "Strict JSON"
 */
export const REQUEST_DEPTH = 97;

const required: readonly (readonly [string, Rule])[] = [
  ['provider', label],
  ['model', label],
];

const optional: readonly (readonly [string, Rule])[] = [
  ['executionId', wellFormedLabel],
  ['modelVersion', label],
  ['appId', label],
  ['createdAt', timestamp],
  ['timestamp', timestamp],
  ['metadata', plainObject],
];

const hashRule: Rule = (value) => (isSha256Hash(value) ? null : 'must be sha256: and 64 lower-case hex digits');

/**
 * A direct member of a request. Typed clients write null for a member that was not set, so null means absent for each of
 * them; inside a member's value null is data. @see docs/spec.md, "Null in requests"
 */
export function stated(request: JsonObject, name: string): JsonValue | undefined {
  const value = member(request, name);
  return value === null ? undefined : value;
}

/** Does the request ask for the second bundle schema? */
export function asksForV2(request: JsonObject): boolean {
  return stated(request, 'bundleType') === EXECUTION_V2;
}

/**
 * Finds every fault of a certify or create request.
 * @param request parsed JSON of unknown content
 * @returns `path: rule` for each fault, never a value; empty when the request can be sealed
 */
export function executionRequestFaults(request: unknown, protocols: ProtocolRegistry = PROTOCOLS): string[] {
  if (!isJsonObject(request)) return ['body: must be a JSON object'];
  const protocol = protocolFor(stated(request, 'protocolVersion'), protocols);
  // One list that each check adds to: a description without fault, as nearly all are, makes no other.
  const faults: Fault[] = [];
  add(faults, 'bundleType', brokenBundleType(request));
  if (asksForV2(request) && stated(request, 'protocolVersion') === undefined) {
    add(faults, 'protocolVersion', `is required for ${EXECUTION_V2}`);
  }
  if (protocol === null) add(faults, 'protocolVersion', brokenProtocol(request, protocols));
  for (const [name, rule] of required) addRequired(faults, request, name, rule);
  for (const [name, rule] of optional) addOptional(faults, request, name, rule);
  addContextAndSignals(faults, request);
  if (protocol?.sealing === 'commitments') addConfidential(faults, request, protocol);
  else addPlain(faults, request);
  if (asksForV2(request)) addV2(faults, request);
  return faults.map(({ path, rule }) => `${path}: ${rule}`);
}

/** @param broken the rule that the member at `path` breaks, or null */
function add(faults: Fault[], path: string, broken: string | null): void {
  if (broken !== null) faults.push({ path, rule: broken });
}

function addRequired(faults: Fault[], request: JsonObject, name: string, rule: Rule): void {
  const value = stated(request, name);
  add(faults, name, value === undefined ? 'is required' : rule(value));
}

function addOptional(faults: Fault[], request: JsonObject, name: string, rule: Rule): void {
  const value = stated(request, name);
  if (value !== undefined) add(faults, name, rule(value));
}

function brokenBundleType(request: JsonObject): string | null {
  const bundleType = stated(request, 'bundleType');
  return bundleType === undefined || bundleType === EXECUTION_V1 || bundleType === EXECUTION_V2
    ? null
    : `must be ${EXECUTION_V1} or ${EXECUTION_V2}`;
}

function brokenProtocol(request: JsonObject, protocols: ProtocolRegistry): string {
  const isText = effectiveProtocolVersion(stated(request, 'protocolVersion')) !== null;
  return isText ? `must be one of ${[...protocols.keys()].join(', ')}` : 'must be a string';
}

function addContextAndSignals(faults: Fault[], request: JsonObject): void {
  const context = stated(request, 'context');
  const signals = stated(request, 'signals');
  if (context !== undefined && signals !== undefined) add(faults, 'signals', 'must not be given beside context');
  if (context !== undefined) faults.push(...contextFaults(context, true));
  if (signals !== undefined) faults.push(...signalFaults(signals, 'signals'));
}

const valuePairs = [
  ['input', 'inputHash'],
  ['output', 'outputHash'],
] as const;

/** Raw value or hash, exactly one of them. */
function addPlain(faults: Fault[], request: JsonObject): void {
  for (const [name, hashName] of valuePairs) {
    const raw = stated(request, name);
    const hash = stated(request, hashName);
    if (raw === undefined && hash === undefined) add(faults, name, `is required, or ${hashName}`);
    else if (raw === undefined) addRequired(faults, request, hashName, hashRule);
    else if (hash === undefined) add(faults, name, rawValue(raw));
    else add(faults, hashName, `must not be given beside ${name}`);
  }
  const parameters = stated(request, 'parameters');
  if (parameters !== undefined) faults.push(...parameterFaults(parameters, 'parameters', null));
}

/** The node must see raw input and output to commit to them. */
function addConfidential(faults: Fault[], request: JsonObject, { version, exactParameters }: Protocol): void {
  for (const [name, hashName] of valuePairs) {
    addRequired(faults, request, name, rawValue);
    if (stated(request, hashName) !== undefined) add(faults, hashName, `is forbidden under ${version}`);
  }
  addRequired(faults, request, 'prompt', nonEmptyText);
  const parameters = stated(request, 'parameters');
  if (parameters === undefined) add(faults, 'parameters', 'is required');
  else faults.push(...parameterFaults(parameters, 'parameters', exactParameters));
}

function addV2(faults: Fault[], request: JsonObject): void {
  const hasInstruction = stated(request, 'instruction') !== undefined;
  const hasKind = stated(request, 'instructionKind') !== undefined;
  const oneOf =
    (allowed: readonly string[]): Rule =>
    (value) =>
      typeof value === 'string' && allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`;
  addRequired(faults, request, 'executionRole', oneOf(EXECUTION_ROLES));
  addOptional(faults, request, 'instruction', nonEmptyText);
  if (hasInstruction && hasKind) addOptional(faults, request, 'instructionKind', oneOf(INSTRUCTION_KINDS));
  else if (hasInstruction) add(faults, 'instructionKind', 'is required beside instruction');
  else if (hasKind) add(faults, 'instructionKind', 'is forbidden without instruction');
}
