// An ordinary application without knowledge of certificates. Environment variables configure OpenTelemetry and the
// address of the model.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { NodeSDK, api } from '@opentelemetry/sdk-node';
import { generateText, jsonSchema, streamText, tool } from 'ai';

const sdk = new NodeSDK();
sdk.start();

const models = createOpenAICompatible({
  name: process.env.MODEL_PROVIDER ?? 'example',
  baseURL: process.env.MODEL_URL ?? 'http://127.0.0.1:4399/v1',
  apiKey: process.env.MODEL_API_KEY ?? 'none',
});
const call = {
  model: models.chatModel(process.env.MODEL_NAME ?? 'example-large'),
  temperature: 0.25,
  maxOutputTokens: 64,
  experimental_telemetry: { isEnabled: true, functionId: 'travel-desk' },
};

await api.trace.getTracer('travel-desk').startActiveSpan('plan a trip', async (span) => {
  await generateText({ ...call, prompt: 'When does the early train to Lisbon leave?' });
  const streamed = streamText({ ...call, system: 'Answer in one sentence.', prompt: 'Which seat has the sea view?' });
  await streamed.consumeStream();
  await generateText({
    ...call,
    prompt: 'Will it rain in Lisbon?',
    tools: {
      weather: tool({
        description: 'the weather of a place',
        inputSchema: jsonSchema({ type: 'object', properties: { place: { type: 'string' } } }),
      }),
    },
  });
  span.end();
});
await sdk.shutdown();
