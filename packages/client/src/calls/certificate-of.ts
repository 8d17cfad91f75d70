import { idOf, isMembers, type Json } from '../json.js';
import { hashOfValue } from '../seal/seal.js';
import type { Protocol } from '../settings.js';
import type { CertifiedAnswers, SealedCall } from './certified-answers.js';

/** Members in which SDKs state the provider's id of a request: on an answer, and on the error of a refusal. */
const REQUEST_IDS = ['_request_id', 'requestID'];
/** Members of an answer that hold the provider's id of it. */
const ANSWER_IDS = ['id', 'responseId'];
/** Members of an event of a stream that hold the answer, of Anthropic and of OpenAI's Responses. */
const HOLDERS = ['message', 'response'];

/** The names that an answer is found by: request ids of the provider, its content, an id that the provider assigned. */
export function namesOf(output: Json, requestIds: readonly string[], contentHash: string | null): (string | null)[] {
  return [...requestIds, contentHash, answerIdIn(output)];
}

export function answerIdIn(output: unknown): string | null {
  return idIn(output, ANSWER_IDS);
}

/**
 * The certificate of an answer: of a `Response`, by itself; of an answer of an SDK, by its names, the safest first; of
 * the text of an id. Null for an answer that is unknown, not read to its end, or cannot be told from another.
 * @param protocol that content is hashed under
 */
export function certificateOf(answers: CertifiedAnswers, protocol: Protocol, answer: unknown): SealedCall | null {
  if (typeof answer === 'string') return answers.find(answer);
  if (typeof answer !== 'object' || answer === null) return null;
  const observed = answers.responses.get(answer);
  if (observed !== undefined) return observed.certificate;
  const find = (name: string | null): SealedCall | null => (name === null ? null : answers.find(name));
  const requestId = idIn(answer, REQUEST_IDS);
  // The request has no certificate, and another answer may have the same content or id.
  if (requestId !== null && !answers.isKnown(requestId)) return null;
  const held = HOLDERS.map((name) => (isMembers(answer) ? answerIdIn(answer[name]) : null));
  return (
    find(requestId) ??
    find(hashOfValue(answer as Json, protocol)) ??
    find([answerIdIn(answer), ...held].find((id) => id !== null) ?? null)
  );
}

function idIn(value: unknown, names: readonly string[]): string | null {
  for (const name of names) {
    const found = idOf(value, name);
    if (found !== null) return found;
  }
  return null;
}
