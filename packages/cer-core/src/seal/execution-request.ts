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
  const faults = [
    ...bundleTypeFaults(request),
    ...(protocol === null ? [protocolFault(request, protocols)] : []),
    ...required.flatMap(([name, rule]) => memberFaults(request, name, rule, true)),
    ...optional.flatMap(([name, rule]) => memberFaults(request, name, rule, false)),
    ...memberFaults(request, 'metadata', plainObject, false),
    ...contextAndSignalFaults(request),
    ...(protocol?.sealing === 'commitments' ? confidentialFaults(request, protocol) : plainFaults(request)),
    ...(asksForV2(request) ? v2Faults(request) : []),
  ];
  return faults.map(({ path, rule }) => `${path}: ${rule}`);
}

function memberFaults(request: JsonObject, name: string, rule: Rule, isRequired: boolean): Fault[] {
  const value = stated(request, name);
  if (value === undefined) return isRequired ? [{ path: name, rule: 'is required' }] : [];
  const broken = rule(value);
  return broken === null ? [] : [{ path: name, rule: broken }];
}

function bundleTypeFaults(request: JsonObject): Fault[] {
  const bundleType = stated(request, 'bundleType');
  if (bundleType === undefined || bundleType === EXECUTION_V1) return [];
  if (bundleType !== EXECUTION_V2) return [{ path: 'bundleType', rule: `must be ${EXECUTION_V1} or ${EXECUTION_V2}` }];
  return stated(request, 'protocolVersion') === undefined
    ? [{ path: 'protocolVersion', rule: `is required for ${EXECUTION_V2}` }]
    : [];
}

function protocolFault(request: JsonObject, protocols: ProtocolRegistry): Fault {
  const isText = effectiveProtocolVersion(stated(request, 'protocolVersion')) !== null;
  return {
    path: 'protocolVersion',
    rule: isText ? `must be one of ${[...protocols.keys()].join(', ')}` : 'must be a string',
  };
}

function contextAndSignalFaults(request: JsonObject): Fault[] {
  const context = stated(request, 'context');
  const signals = stated(request, 'signals');
  return [
    ...(context !== undefined && signals !== undefined
      ? [{ path: 'signals', rule: 'must not be given beside context' }]
      : []),
    ...(context === undefined ? [] : contextFaults(context, 'context', true)),
    ...(signals === undefined ? [] : signalFaults(signals, 'signals')),
  ];
}

const valuePairs = [
  ['input', 'inputHash'],
  ['output', 'outputHash'],
] as const;

/** Raw value or hash, exactly one of them. */
function plainFaults(request: JsonObject): Fault[] {
  const parameters = stated(request, 'parameters');
  return [
    ...valuePairs.flatMap(([name, hashName]) => {
      const hasRaw = stated(request, name) !== undefined;
      const hasHash = stated(request, hashName) !== undefined;
      if (hasRaw && hasHash) return [{ path: hashName, rule: `must not be given beside ${name}` }];
      if (!hasRaw && !hasHash) return [{ path: name, rule: `is required, or ${hashName}` }];
      return hasRaw ? memberFaults(request, name, rawValue, true) : memberFaults(request, hashName, hashRule, true);
    }),
    ...(parameters === undefined ? [] : parameterFaults(parameters, 'parameters', null)),
  ];
}

/** The node must see raw input and output to commit to them. */
function confidentialFaults(request: JsonObject, { version, exactParameters }: Protocol): Fault[] {
  const parameters = stated(request, 'parameters');
  return [
    ...valuePairs.flatMap(([name, hashName]) => [
      ...memberFaults(request, name, rawValue, true),
      ...(stated(request, hashName) === undefined ? [] : [{ path: hashName, rule: `is forbidden under ${version}` }]),
    ]),
    ...memberFaults(request, 'prompt', nonEmptyText, true),
    ...(parameters === undefined
      ? [{ path: 'parameters', rule: 'is required' }]
      : parameterFaults(parameters, 'parameters', exactParameters)),
  ];
}

function v2Faults(request: JsonObject): Fault[] {
  const hasInstruction = stated(request, 'instruction') !== undefined;
  const hasKind = stated(request, 'instructionKind') !== undefined;
  const oneOf =
    (allowed: readonly string[]): Rule =>
    (value) =>
      typeof value === 'string' && allowed.includes(value) ? null : `must be one of ${allowed.join(', ')}`;
  return [
    ...memberFaults(request, 'executionRole', oneOf(EXECUTION_ROLES), true),
    ...memberFaults(request, 'instruction', nonEmptyText, false),
    ...(hasInstruction && !hasKind ? [{ path: 'instructionKind', rule: 'is required beside instruction' }] : []),
    ...(!hasInstruction && hasKind ? [{ path: 'instructionKind', rule: 'is forbidden without instruction' }] : []),
    ...(hasInstruction && hasKind ? memberFaults(request, 'instructionKind', oneOf(INSTRUCTION_KINDS), false) : []),
  ];
}
