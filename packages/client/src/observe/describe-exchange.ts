import { answerIdIn } from '../calls/certificate-of.js';
import type { Json, JsonMembers } from '../json.js';
import type { CallDescription } from '../seal/execution-of.js';
import type { Ended } from './exchange.js';
import { providerOf, type ModelCall } from './model-call.js';
import type { RequestFacts } from './request-facts.js';

/**
 * An observed request and its answer.
 * @param provider absent: by the host of the call
 * @param link ids that join attempts of one call
 */
export function describeExchange(
  call: ModelCall,
  { model, parameters, input, inputHash }: RequestFacts,
  ended: Ended,
  provider: string | undefined,
  link: JsonMembers,
): CallDescription {
  const { outcome, status, errorCode, output, bytes, sha256, streamed, requestIds } = ended;
  const providerId = answerIdIn(output);
  const [providerRequestId = null] = requestIds;
  const payload: Record<string, Json> = { outcome, httpStatus: status };
  if (errorCode !== null) payload['errorCode'] = errorCode;
  payload['attempt'] = call.attempt + 1;
  Object.assign(payload, link);
  payload['streamed'] = streamed;
  payload['outputIs'] = output === null ? 'bytes' : streamed ? 'folded-stream' : 'body';
  payload['responseBytes'] = bytes;
  if (providerRequestId !== null) payload['providerRequestId'] = providerRequestId;
  if (providerId !== null) payload['providerId'] = providerId;
  return {
    provider: provider ?? providerOf(call.url),
    model,
    input,
    inputHash,
    inputText: call.body ?? '',
    output,
    outputSha256: sha256,
    parameters,
    kind: 'model-call',
    payload,
  };
}
