// Two instrumentations see each call: OpenInference, and inside it the SDK itself.
const { AnthropicInstrumentation } = require('@arizeai/openinference-instrumentation-anthropic');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const sdk = new NodeSDK({ instrumentations: [new AnthropicInstrumentation()] });
sdk.start();
const { Anthropic } = require('@anthropic-ai/sdk');

void (async () => {
  const { callInEachWay, drain, modelUrl } = await import('./scenarios.mjs');
  const client = new Anthropic({ apiKey: 'none', maxRetries: 0, baseURL: modelUrl.replace('/v1', '') });
  const asked = (model) => ({
    model,
    max_tokens: 64,
    temperature: 0.5,
    messages: [{ role: 'user', content: 'CONTENT-QUESTION' }],
  });
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'CONTENT+' } };
  await callInEachWay({
    answer: (model) => client.messages.create(asked(model)),
    picture: (model) => client.messages.create({ ...asked(model), messages: [{ role: 'user', content: [picture] }] }),
    stream: async (model) => drain(await client.messages.create({ ...asked(model), stream: true })),
    error: async (model) => await client.messages.create(asked(model)),
  });
  await sdk.shutdown();
  process.exit();
})();
