import { isJsonArray, isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { isSealedValue } from '../commitments/sealed-value.js';
import type { Layout } from '../bundle-types/layout.js';
import { isSha256Hash } from '../hash.js';
import { protocolFor } from '../protocols/protocols.js';
import type { PublishSettings } from './publish-settings.js';

/** The path of a withheld value: member names and array indexes from the bundle down. */
export type ValuePath = readonly (string | number)[];

const CONTEXT_MEMBERS = ['context', 'contextSummary', 'policyEvaluation'] as const;
const TOOL_CALL_MEMBERS: ReadonlySet<string> = new Set(['toolId', 'at', 'inputHash', 'outputHash']);

/**
 * The hashed values of a bundle that may not be published. Empty: the bundle can be shown as it is. Withheld always:
 * raw values, snapshot members that the layout does not name, and free parameters that are text or structured, since
 * their content is unknown. @see docs/spec.md, "Public form"
 */
export function withheldPaths(bundle: JsonObject, layout: Layout, publish: PublishSettings): ValuePath[] {
  const snapshot = member(bundle, 'snapshot');
  if (!isJsonObject(snapshot)) return [];
  const paths: ValuePath[] = publish.context
    ? []
    : CONTEXT_MEMBERS.filter((name) => member(bundle, name) !== undefined).map((name) => [name]);
  const commits = protocolFor(member(snapshot, 'protocolVersion'))?.sealing === 'commitments';
  for (const name of Object.keys(snapshot)) {
    const value = snapshot[name];
    if (value === undefined) continue;
    const withheld =
      name === 'input' || name === 'output'
        ? withheldValue(name, value, layout, commits)
        : withheldInMember(name, value, layout, publish);
    paths.push(...withheld.map((rest) => ['snapshot', name, ...rest]));
  }
  return paths;
}

const WHOLE: readonly ValuePath[] = [[]];
const NOTHING: readonly ValuePath[] = [];

/**
 * Where the layout keeps the hash elsewhere, a value in this place is raw, even if it looks like a hash or commitment.
 */
function withheldValue(
  name: 'input' | 'output',
  value: JsonValue,
  layout: Layout,
  commits: boolean,
): readonly ValuePath[] {
  if (!layout.knownSnapshotMembers.includes(name)) return WHOLE;
  const hasHashBeside = layout.knownSnapshotMembers.includes(`${name}Hash`);
  const standsForRaw = commits ? isSealedValue(value) : !hasHashBeside && isSha256Hash(value);
  return standsForRaw ? NOTHING : WHOLE;
}

function withheldInMember(
  name: string,
  value: JsonValue,
  layout: Layout,
  publish: PublishSettings,
): readonly ValuePath[] {
  if (!layout.knownSnapshotMembers.includes(name)) return WHOLE;
  switch (name) {
    case 'prompt':
      return publish.prompt ? NOTHING : WHOLE;
    case 'instruction':
      return publish.instruction ? NOTHING : WHOLE;
    case 'metadata':
      return withheldMetadata(value, publish.metadata);
    case 'parameters':
      return withheldParameters(value);
    case 'toolCalls':
      return withheldToolCalls(value);
    default:
      return NOTHING;
  }
}

function withheldMetadata(value: JsonValue, metadata: PublishSettings['metadata']): readonly ValuePath[] {
  if (metadata === 'all') return NOTHING;
  if (metadata === 'none' || !isJsonObject(value)) return WHOLE;
  return Object.keys(value)
    .filter((name) => !metadata.includes(name))
    .map((name) => [name]);
}

function withheldParameters(value: JsonValue): readonly ValuePath[] {
  if (!isJsonObject(value)) return WHOLE;
  return Object.entries(value)
    .filter(([, parameter]) => typeof parameter === 'string' || (typeof parameter === 'object' && parameter !== null))
    .map(([name]) => [name]);
}

function withheldToolCalls(value: JsonValue): readonly ValuePath[] {
  if (!isJsonArray(value)) return WHOLE;
  return value.flatMap((call, index): ValuePath[] => {
    if (!isJsonObject(call)) return [[index]];
    return Object.keys(call)
      .filter((name) => !TOOL_CALL_MEMBERS.has(name))
      .map((name) => [index, name]);
  });
}
