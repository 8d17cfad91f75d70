import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai';
import { NodeSDK } from '@opentelemetry/sdk-node';
import OpenAI from 'openai';
import { callInEachWay, chatWays, modelUrl } from './scenarios.mjs';

// With a configuration it reads its environment variables.
const instrumentation = new OpenAIInstrumentation({ traceConfig: {} });
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(OpenAI);
await callInEachWay(chatWays(new OpenAI({ apiKey: 'none', baseURL: modelUrl, maxRetries: 0 })));
await sdk.shutdown();
process.exit();
