import { NodeSDK } from '@opentelemetry/sdk-node';
import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai';
import OpenAI from 'openai';
import { callInEachWay, chatWays, modelUrl } from './scenarios.mjs';

const instrumentation = new OpenAIInstrumentation();
const sdk = new NodeSDK({ instrumentations: [instrumentation] });
sdk.start();
instrumentation.manuallyInstrument(OpenAI);
await callInEachWay(chatWays(new OpenAI({ apiKey: 'none', baseURL: modelUrl, maxRetries: 0 })));
await sdk.shutdown();
process.exit();
