/** Where the model server is, with the path `/v1`. */
export const modelUrl = process.env.MODEL_URL;

/**
 * Calls the model `fake-<name>` in each way, one after another. Calls may fail: an application catches that too.
 * @param ways {Record<string, (model: string) => Promise<unknown>>}
 */
export async function callInEachWay(ways) {
  for (const [name, call] of Object.entries(ways)) await call(`fake-${name}`).catch(() => undefined);
}

export async function drain(stream) {
  for await (const part of stream) void part;
}

/** The ways of OpenAI's client. */
export function chatWays(client) {
  const asked = (model) => ({
    model,
    temperature: 0.25,
    max_tokens: 64,
    messages: [{ role: 'user', content: 'CONTENT-QUESTION' }],
  });
  const chat = client.chat.completions;
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  return {
    answer: (model) => chat.create(asked(model)),
    limit: (model) => chat.create(asked(model)),
    stream: async (model) => drain(await chat.create({ ...asked(model), stream: true })),
    tools: (model) => chat.create({ ...asked(model), tools }),
    abort: async (model) => {
      const aborter = new AbortController();
      const stream = await chat.create({ ...asked(model), stream: true }, { signal: aborter.signal });
      for await (const part of stream) if (part) aborter.abort();
    },
    error: async (model) => await chat.create(asked(model)),
    embed: (model) => client.embeddings.create({ model, input: 'CONTENT-QUESTION' }),
  };
}
