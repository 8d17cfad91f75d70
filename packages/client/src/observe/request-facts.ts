import { parseJson } from '@cer/canonical-json';
import { isMembers, type Json, type JsonMembers } from '../json.js';
import { labelOf, parametersOf } from '../seal/execution-of.js';
import { hashOfValue } from '../seal/seal.js';
import type { Protocol } from '../settings.js';

/** The members of a certificate about a request. */
export interface RequestFacts {
  readonly model: string;
  readonly parameters: JsonMembers;
  /** Null where its hash is known: it is as large as the body, and the answer may take long. */
  readonly input: Json;
  /** Null where the input is needed itself: for a commitment, or because it has no hash as JSON. */
  readonly inputHash: string | null;
}

/**
 * Reads a request in a later turn of the event loop, while the provider works on its answer, so that the caller does not
 * wait for it; at once when its answer ends before.
 * @param turn resolves in a later turn
 */
export function factsLater(body: string, protocol: Protocol, turn: () => Promise<void>): () => RequestFacts {
  let found: RequestFacts | null = null;
  const facts = (): RequestFacts => (found ??= factsOf(body, protocol));
  // A fault recurs when the call ends, and is counted there.
  void turn()
    .then(facts)
    .catch(() => undefined);
  return facts;
}

function factsOf(body: string, protocol: Protocol): RequestFacts {
  const request = valueIn(body);
  const inputHash = hashOfValue(request, protocol);
  return {
    model: labelOf(isMembers(request) ? request['model'] : null, 'unknown'),
    parameters: parametersOf(request),
    input: inputHash === null ? request : null,
    inputHash,
  };
}

/** The body as it was sent: JSON, or text where it is not strict JSON. */
export function valueIn(body: string): Json {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null ? value : body;
  } catch {
    return body;
  }
}
