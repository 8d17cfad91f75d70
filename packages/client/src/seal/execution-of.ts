import type { Json, JsonMembers } from '../json.js';
import type { Protocol } from '../settings.js';

/** A call as an observer describes it when it ended. */
export interface CallDescription {
  readonly provider: string;
  readonly model: string;
  readonly input: Json;
  /** The hash of the input under the protocol of the client, in place of the input; null or absent: not known. */
  readonly inputHash?: string | null;
  /** The input as it was sent; absent: its JSON. Sealed where JSON rules refuse the value. */
  readonly inputText?: string;
  /** Null when only the hash of its bytes is known. */
  readonly output: Json;
  /** SHA-256 of the answer's bytes in hex; null where no bytes were seen. */
  readonly outputSha256: string | null;
  /** Sampling parameters under their names in a certificate. */
  readonly parameters: JsonMembers;
  /** The kind of evidence: `model-call` or `tool-call`. */
  readonly kind: string;
  /** Facts in clear: no content. */
  readonly payload: JsonMembers;
}

export interface CallFacts {
  readonly executionId: string;
  readonly appId: string;
  /** RFC 3339, when the call was made. */
  readonly startedAt: string;
  /** RFC 3339, when it ended. */
  readonly endedAt: string;
}

/** Members of a certificate under 1.3.1 besides the call. */
export interface ConfidentialSettings {
  /** Bound in clear. */
  readonly prompt: string;
  readonly parameters: JsonMembers;
}

/** Parameters of sampling, under their names in a certificate. */
const PARAMETERS: readonly (readonly [name: string, from: readonly string[]])[] = [
  ['temperature', ['temperature']],
  [
    'maxTokens',
    ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens', 'num_predict'],
  ],
  ['topP', ['top_p', 'topP', 'p']],
  ['seed', ['seed']],
];
/** Members of a request that hold them, of Gemini and of Ollama. */
const HOLDERS = ['generationConfig', 'options'] as const;

/** The sampling parameters that a request states, whatever the names of its SDK. */
export function parametersOf(request: unknown): JsonMembers {
  const found: Record<string, Json> = {};
  if (typeof request !== 'object' || request === null) return found;
  addParameters(found, request);
  for (const holder of HOLDERS) {
    const held: unknown = Reflect.get(request, holder);
    if (typeof held === 'object' && held !== null) addParameters(found, held);
  }
  return found;
}

/** Adds those that are not known. */
function addParameters(found: Record<string, Json>, members: object): void {
  for (const [name, from] of PARAMETERS) {
    if (name in found) continue;
    for (const member of from) {
      const value: unknown = Reflect.get(members, member);
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      found[name] = value;
      break;
    }
  }
}

/** A label as certificates take it. */
export function labelOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value.slice(0, 256) : otherwise;
}

/**
 * The description as certify takes it. Nothing in it but `input` and `output` holds content, and sealing leaves only
 * hashes or commitments of these.
 * @see docs/spec.md, "Describing an execution"
 */
export function executionOf(
  facts: CallFacts,
  call: CallDescription,
  protocolVersion: Protocol,
  confidential: ConfidentialSettings | null,
): JsonMembers {
  const { executionId, appId, startedAt, endedAt } = facts;
  const { provider, model, input, inputHash = null, output, outputSha256, kind } = call;
  const hash = outputSha256 === null ? null : `sha256:${outputSha256}`;
  const payload: Record<string, Json | undefined> = { ...call.payload };
  // Assignments, not conditional spreads: this is on the path of every call.
  const execution: Record<string, Json> = {
    executionId,
    protocolVersion,
    provider,
    model,
    appId,
    createdAt: endedAt,
    timestamp: startedAt,
    signals: [{ type: kind, source: '@cer/client', payload }],
  };
  if (inputHash === null) execution['input'] = input;
  else execution['inputHash'] = inputHash;
  if (confidential === null) {
    if (output === null) execution['outputHash'] = hash ?? '';
    else execution['output'] = output;
    execution['parameters'] = call.parameters;
    if (hash !== null) payload['responseSha256'] = hash;
    return execution;
  }
  execution['prompt'] = confidential.prompt;
  // The hash of an answer in clear would confirm a guess of it.
  execution['output'] = output ?? { responseSha256: hash };
  execution['parameters'] = { topP: null, seed: null, ...confidential.parameters, ...call.parameters };
  const declared = Object.keys(confidential.parameters).filter((name) => !(name in call.parameters));
  declared.sort();
  if (declared.length > 0) payload['declaredParameters'] = declared;
  return execution;
}
