import { parseJson, withLongIntegersAsText } from '@cer/canonical-json';
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
  /** Null where the input is needed itself: for a commitment, for a redaction, or because it has no hash as JSON. */
  readonly inputHash: string | null;
}

/**
 * @param protocol that the input is hashed under; null where it is needed itself
 * @param model named by the address; null where the body names it
 */
export function factsOf(body: string, protocol: Protocol | null, model: string | null = null): RequestFacts {
  const request = valueIn(body);
  const inputHash = protocol === null ? null : hashOfValue(request, protocol);
  const stated = typeof request === 'string' ? looseValueIn(body) : request;
  return {
    model: labelOf(model ?? (isMembers(stated) ? stated['model'] : null), 'unknown'),
    parameters: parametersOf(stated),
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

/** The body with integers that a double does not hold as text; null for any other fault of strict JSON. */
function looseValueIn(body: string): Json {
  try {
    return parseJson(withLongIntegersAsText(body));
  } catch {
    return null;
  }
}
