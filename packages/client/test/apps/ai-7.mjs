// Calls models with the AI SDK 7 in each way, and prints what the client counted. CLIENT, MODEL_URL and FETCH state the
// client's bundle, the server of models, and the provider's fetch: `observed` by the client, or `hidden` from all observers.
// With MIDDLEWARE the models are wrapped too.
import * as ai from 'ai-7';
import { createOpenAICompatible } from 'openai-compatible-3';

const { certificates } = await import(process.env.CLIENT);
const faults = [];
const cer = certificates({ appId: 'tests', onError: (error) => faults.push(String(error)) });
ai.registerTelemetry(cer.aiSdk());
globalThis.AI_SDK_LOG_WARNINGS = false;
const models = createOpenAICompatible({
  name: 'local',
  baseURL: process.env.MODEL_URL,
  apiKey: 'key',
  ...(process.env.FETCH === 'observed' && { fetch: cer.fetch() }),
  ...(process.env.FETCH === 'hidden' && { fetch: globalThis.hiddenFetch }),
});
const modelOf = (id) => {
  const model = models.chatModel(id);
  return process.env.MIDDLEWARE ? ai.wrapLanguageModel({ model, middleware: cer.aiSdkMiddleware() }) : model;
};
const asked = (model) => ({
  model: modelOf(model),
  maxRetries: 0,
  temperature: 0.25,
  maxOutputTokens: 64,
  prompt: 'the secret of the caller',
});

const { text } = await ai.generateText(asked('answers'));
const streamed = await ai.streamText(asked('streams')).text;
const refused = await ai.generateText(asked('refused')).catch((error) => error.statusCode);
const aborter = new AbortController();
const stalling = ai.streamText({ ...asked('stalls'), abortSignal: aborter.signal });
for await (const part of stalling.textStream) if (part) aborter.abort();
const { embedding } = await ai.embed({
  model: models.textEmbeddingModel('embeds'),
  value: 'the secret',
  maxRetries: 0,
});
const { object } = await ai.generateObject({ ...asked('objects'), output: 'no-schema' });
let streamedObject = {};
const objectParts = ai.streamObject({ ...asked('streams objects'), output: 'no-schema' }).partialObjectStream;
for await (const part of objectParts) streamedObject = part;
const refusedObject = await ai
  .generateObject({ ...asked('refused object'), output: 'no-schema' })
  .catch((error) => error.statusCode);
const ranks = {
  specificationVersion: 'v4',
  provider: 'local.ranks',
  modelId: 'ranks',
  doRerank: async () => ({ ranking: [{ index: 0, relevanceScore: 0.5 }] }),
};
const { ranking } = await ai.rerank({ model: ranks, documents: ['a'], query: 'the secret', maxRetries: 0 });
await cer.close({ timeoutMs: 0 });
const objects = [object, streamedObject, refusedObject];
const rank = ranking[0].score;
console.log(JSON.stringify({ text, streamed, refused, embedding, objects, rank, stats: cer.stats(), faults }));
