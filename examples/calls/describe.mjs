// Maps a model call in a provider's format to the description of an execution: the members of a certify request, which
// `cer seal` and the node accept. One small function per format; copy the one you need.
//
// `executionId` is minted by the caller before the call, for example by `crypto.randomUUID()`, and sent again in a retry:
// the node keeps one certificate per id. The id of the response cannot replace it, since some model servers give every
// answer the same one; it is kept as `metadata.responseId`.

/**
 * @param {{request: object, response: object}} call a chat completion: `choices[]` with messages and tool calls
 * @param {{executionId: string, provider: string}} facts the caller's id of the call, and the provider
 * @returns {object} the description; `input` is everything sent to the model, `output` all its choices
 */
export function describeChatCompletion({ request, response }, { executionId, provider }) {
  const createdAt = new Date(response.created * 1000).toISOString();
  return {
    executionId,
    provider,
    model: request.model,
    modelVersion: response.model,
    input: pick(request, ['messages', 'tools', 'tool_choice', 'response_format']),
    output: response.choices,
    parameters: renamed(request, [
      ['temperature', 'temperature'],
      ['max_completion_tokens', 'maxTokens'],
      ['top_p', 'topP'],
      ['seed', 'seed'],
    ]),
    createdAt,
    timestamp: createdAt,
    metadata: { responseId: response.id, usage: response.usage },
  };
}

/**
 * @param {{request: object, response: object}} call a messages call: `content[]` with parts of several types
 * @param {{executionId: string, provider: string, at: string}} facts the caller's id of the call, the provider, and the
 *   time, which this format does not contain
 * @returns {object} the description
 */
export function describeMessages({ request, response }, { executionId, provider, at }) {
  return {
    executionId,
    provider,
    model: request.model,
    modelVersion: response.model,
    input: pick(request, ['system', 'messages', 'tools', 'tool_choice']),
    output: response.content,
    parameters: renamed(request, [
      ['temperature', 'temperature'],
      ['max_tokens', 'maxTokens'],
      ['top_p', 'topP'],
    ]),
    createdAt: at,
    timestamp: at,
    metadata: { responseId: response.id, usage: response.usage, stopReason: response.stop_reason },
  };
}

/**
 * The same description for the confidential protocol: input and output are sealed, `prompt` stays in plaintext.
 * @param {object} description from one of the functions above; it needs temperature and maxTokens
 * @param {string} prompt a label for the task, which may be public
 * @returns {object} with exactly the four parameters of protocol 1.3.1
 */
export function asConfidential(description, prompt) {
  const { temperature, maxTokens, topP = null, seed = null } = description.parameters;
  return { ...description, protocolVersion: '1.3.1', prompt, parameters: { temperature, maxTokens, topP, seed } };
}

function pick(object, names) {
  return Object.fromEntries(names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]));
}

function renamed(object, pairs) {
  return Object.fromEntries(
    pairs.filter(([name]) => object[name] !== undefined).map(([name, ours]) => [ours, object[name]]),
  );
}
