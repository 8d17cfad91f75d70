// The instrumentation patches what `require` loads after it.
const { OpenAIInstrumentation } = require('@opentelemetry/instrumentation-openai');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const sdk = new NodeSDK({ instrumentations: [new OpenAIInstrumentation()] });
sdk.start();
const { OpenAI } = require('openai');

void (async () => {
  const { callInEachWay, chatWays, modelUrl } = await import('./scenarios.mjs');
  await callInEachWay(chatWays(new OpenAI({ apiKey: 'none', baseURL: modelUrl, maxRetries: 0 })));
  await sdk.shutdown();
  process.exit();
})();
