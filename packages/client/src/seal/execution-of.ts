import type { Ended } from '../observe/exchange.js';
import type { ModelCall } from '../observe/model-call.js';
import { providerOf } from '../observe/model-call.js';
import { isMembers, textOf, type Json, type JsonMembers } from '../json.js';

export interface CallFacts {
  readonly executionId: string;
  readonly appId: string;
  /** Absent: by the host of the call. */
  readonly provider?: string | undefined;
  /** RFC 3339, when the call was made. */
  readonly startedAt: string;
  /** RFC 3339, when it ended. */
  readonly endedAt: string;
}

/** Parameters of sampling, under their names in a certificate. */
const PARAMETERS: readonly (readonly [name: string, from: readonly string[]])[] = [
  ['temperature', ['temperature']],
  ['maxTokens', ['max_tokens', 'max_completion_tokens', 'max_output_tokens']],
  ['topP', ['top_p']],
  ['seed', ['seed']],
];

/**
 * The description of an observed call, as certify takes it. Nothing in it but `input` and `output` holds content, and
 * sealing leaves only hashes of these.
 * @param requestBody the body as it was sent: JSON, or text where it is not JSON
 */
export function executionOf(facts: CallFacts, call: ModelCall, requestBody: Json, ended: Ended): JsonMembers {
  const { outcome, status, errorCode, output, bytes, sha256, streamed, providerRequestId } = ended;
  return {
    executionId: facts.executionId,
    protocolVersion: '1.3.0',
    provider: facts.provider ?? providerOf(call.url),
    model: modelOf(requestBody) ?? 'unknown',
    input: requestBody,
    ...(output === null ? { outputHash: `sha256:${sha256}` } : { output }),
    parameters: parametersOf(requestBody),
    appId: facts.appId,
    createdAt: facts.endedAt,
    timestamp: facts.startedAt,
    signals: [
      {
        type: 'model-call',
        source: '@cer/client',
        payload: {
          outcome,
          httpStatus: status,
          ...(errorCode !== null && { errorCode }),
          attempt: call.attempt + 1,
          streamed,
          outputIs: output === null ? 'bytes' : streamed ? 'folded-stream' : 'body',
          responseBytes: bytes,
          responseSha256: `sha256:${sha256}`,
          ...(providerRequestId !== null && { providerRequestId }),
          ...(textOf(output, 'id') !== null && { providerId: textOf(output, 'id') }),
        },
      },
    ],
  };
}

function modelOf(body: Json): string | null {
  const model = textOf(body, 'model');
  return model === null || model === '' ? null : model.slice(0, 256);
}

function parametersOf(body: Json): JsonMembers {
  if (!isMembers(body)) return {};
  return Object.fromEntries(
    PARAMETERS.flatMap(([name, from]) => {
      const value = from.map((member) => body[member]).find((candidate) => typeof candidate === 'number');
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
