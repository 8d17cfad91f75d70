// An application as anybody writes it: it knows nothing of certificates. OpenTelemetry is configured by the
// environment alone.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { NodeSDK, api } from '@opentelemetry/sdk-node';
import { generateText, jsonSchema, streamText, tool } from 'ai';

const sdk = new NodeSDK();
sdk.start();

const models = createOpenAICompatible({ name: 'fake', baseURL: process.env.MODEL_URL, apiKey: 'model-key' });
const call = {
  model: models.chatModel('fake-large'),
  temperature: 0.25,
  maxOutputTokens: 64,
  experimental_telemetry: { isEnabled: true, functionId: 'sample' },
};

await api.trace.getTracer('sample').startActiveSpan('handle request', async (span) => {
  await generateText({ ...call, prompt: 'CONTENT-QUESTION' });
  const streamed = streamText({ ...call, system: 'CONTENT-SYSTEM', prompt: 'CONTENT-STREAMED' });
  await streamed.consumeStream();
  await generateText({
    ...call,
    prompt: 'CONTENT-TOOL',
    tools: {
      weather: tool({
        description: 'the weather',
        inputSchema: jsonSchema({ type: 'object', properties: { place: { type: 'string' } } }),
      }),
    },
  });
  span.end();
});
await sdk.shutdown();
