/** The ways of the AI SDK, whichever its version. */
export function aiWays(ai, models, settings) {
  const asked = (model) => ({
    model: models.chatModel(model),
    maxRetries: 0,
    temperature: 0.25,
    maxOutputTokens: 64,
    prompt: 'CONTENT-QUESTION',
    ...settings,
  });
  const weather = ai.tool({
    description: 'the weather of a place',
    inputSchema: ai.jsonSchema({ type: 'object', properties: { place: { type: 'string' } } }),
  });
  const embedded = (model) => ({ model: models.textEmbeddingModel(model), maxRetries: 0, ...settings });
  return {
    answer: (model) => ai.generateText(asked(model)),
    limit: (model) => ai.generateText(asked(model)),
    stream: async (model) => ai.streamText(asked(model)).consumeStream(),
    tools: (model) => ai.generateText({ ...asked(model), tools: { weather } }),
    abort: async (model) => {
      const aborter = new AbortController();
      const { textStream } = ai.streamText({ ...asked(model), abortSignal: aborter.signal });
      for await (const part of textStream) if (part) aborter.abort();
    },
    end: async (model) => ai.streamText({ ...asked(model), onError: () => undefined }).consumeStream(),
    error: (model) => ai.generateText(asked(model)),
    embed: (model) => ai.embed({ ...embedded(model), value: 'CONTENT-QUESTION' }),
  };
}
