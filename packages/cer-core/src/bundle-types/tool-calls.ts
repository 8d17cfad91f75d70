import { isJsonArray, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSha256Hash } from '../hash.js';
import { checkMembers, type MemberRules } from './checks.js';
import { faultsOfElements, nonEmptyText, rawValue, timestamp, type Rule } from '../schema/rules.js';
import { schemaFinding, type Finding } from '../finding.js';
import { isRedacted, type LayoutContext } from './layout.js';
import { valueHashFinding } from './value-hash.js';

// Evidence of tool calls inside a snapshot: `toolCalls: [{toolId, at, input?|inputHash, output?|outputHash}]`.
// @see docs/spec.md, "Tool calls"

// A lone surrogate is not a format fault: the value then has no hash, which is reported.
const toolValue: Rule = (value) => (typeof value === 'string' ? null : rawValue(value));

const toolCallRules: MemberRules = [
  ['toolId', nonEmptyText],
  ['at', timestamp],
  ['input', toolValue],
  ['output', toolValue],
];

function toolCallsOf({ snapshot, resealed }: LayoutContext): readonly JsonValue[] | null {
  const calls = member(snapshot, 'toolCalls');
  if (calls === undefined || (resealed && isRedacted(calls))) return [];
  return isJsonArray(calls) ? calls : null;
}

function eachToolCall(context: LayoutContext, check: (call: JsonObject, path: string) => Finding[]): Finding[] {
  return faultsOfElements(toolCallsOf(context) ?? [], (call, index) =>
    isJsonObject(call) ? check(call, `snapshot.toolCalls[${index}].`) : [],
  );
}

/** Only in a reseal: elsewhere the literal is a value like any other. */
function isRemoved({ resealed }: LayoutContext, call: JsonObject, name: string): boolean {
  return resealed && isRedacted(member(call, name));
}

export function checkToolCallSchema(context: LayoutContext): Finding[] {
  const calls = toolCallsOf(context);
  if (calls === null) return [schemaFinding('snapshot.toolCalls', 'must be an array')];
  return faultsOfElements(calls, (call, index) => {
    const path = `snapshot.toolCalls[${index}]`;
    if (context.resealed && isRedacted(call)) return [];
    if (!isJsonObject(call)) return [schemaFinding(path, 'must be an object')];
    const missing = ['toolId', 'at'].filter((name) => member(call, name) === undefined && !context.resealed);
    const rawUnderSealing =
      context.protocol.sealing === 'commitments'
        ? ['input', 'output'].filter((name) => member(call, name) !== undefined && !isRemoved(context, call, name))
        : [];
    return [
      ...missing.map((name) => schemaFinding(`${path}.${name}`, 'is required')),
      ...rawUnderSealing.map((name) =>
        schemaFinding(`${path}.${name}`, `must not be raw under ${context.protocol.version}`),
      ),
      ...checkMembers(call, `${path}.`, toolCallRules, context),
    ];
  });
}

export function checkToolHashForms(context: LayoutContext): Finding[] {
  return eachToolCall(context, (call, path) =>
    ['inputHash', 'outputHash'].flatMap((name) => {
      const value = member(call, name);
      if (value === undefined || isSha256Hash(value) || isRemoved(context, call, name)) return [];
      return [
        {
          code: 'INVALID_SHA256_FORMAT',
          member: `${path}${name}`,
          detail: 'must be sha256: and 64 lower-case hex digits',
        },
      ];
    }),
  );
}

const hashedToolMembers = [
  ['input', 'inputHash', 'INPUT_HASH_MISMATCH'],
  ['output', 'outputHash', 'TOOL_OUTPUT_HASH_MISMATCH'],
] as const;

/** Raw tool values beside a hash must hash to it. */
export function checkToolValueHashes(context: LayoutContext): Finding[] {
  return eachToolCall(context, (call, path) =>
    hashedToolMembers.flatMap(([rawName, hashName, code]) => {
      const raw = member(call, rawName);
      const expected = member(call, hashName);
      if (raw === undefined || typeof expected !== 'string') return [];
      if (isRemoved(context, call, rawName) || isRemoved(context, call, hashName)) return [];
      return valueHashFinding(raw, expected, context.protocol.profile, { path, name: rawName, hashName, code }) ?? [];
    }),
  );
}

/** A call with neither its output nor the output's hash proves nothing. */
export function checkToolEvidence(context: LayoutContext): Finding[] {
  return eachToolCall(context, (call, path) => {
    const hasEvidence = member(call, 'output') !== undefined || member(call, 'outputHash') !== undefined;
    if (hasEvidence || context.resealed) return [];
    return [{ code: 'TOOL_EVIDENCE_MISSING', member: path.slice(0, -1), detail: 'has neither output nor outputHash' }];
  });
}
