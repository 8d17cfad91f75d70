// Anthropic's SDK records its calls itself. TEMPERATURE is what the application asks for, where it says so to its spans.
import Anthropic from '@anthropic-ai/sdk';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';
import { callInEachWay, modelUrl } from './scenarios.mjs';

/** The SDK's spans lack the temperature; an application that knows its own adds it. */
class StatedTemperature {
  onStart(span) {
    span.setAttribute('gen_ai.request.temperature', Number(process.env.TEMPERATURE));
  }
  onEnd() {}
  async forceFlush() {}
  async shutdown() {}
}

const exporting = new tracing.BatchSpanProcessor(new OTLPTraceExporter());
const sdk = new NodeSDK({
  spanProcessors: process.env.TEMPERATURE === undefined ? [exporting] : [new StatedTemperature(), exporting],
});
sdk.start();
const client = new Anthropic({ apiKey: 'none', maxRetries: 0, baseURL: modelUrl.replace('/v1', '') });
const asked = (model) => ({
  model,
  max_tokens: 64,
  temperature: 0.5,
  messages: [{ role: 'user', content: 'CONTENT-QUESTION '.repeat(20) }],
});
const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'CONTENT+' } };
await callInEachWay({
  answer: (model) => client.messages.create(asked(model)),
  picture: (model) => {
    const content = [picture, { type: 'text', text: 'CONTENT-QUESTION' }];
    return client.messages.create({ ...asked(model), messages: [{ role: 'user', content }] });
  },
  limit: (model) => client.messages.create(asked(model)),
  stream: (model) => client.messages.stream(asked(model)).finalMessage(),
  tools: (model) =>
    client.messages.create({ ...asked(model), tools: [{ name: 'weather', input_schema: { type: 'object' } }] }),
  abort: async (model) => {
    const stream = client.messages.stream(asked(model));
    stream.on('text', () => stream.abort());
    await stream.done();
  },
  end: (model) => client.messages.stream(asked(model)).finalMessage(),
  error: async (model) => await client.messages.create(asked(model)),
});
await sdk.shutdown();
