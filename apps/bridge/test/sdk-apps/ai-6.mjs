import { NodeSDK } from '@opentelemetry/sdk-node';
import * as ai from 'ai-6';
import { createOpenAICompatible } from 'openai-compatible-2';
import { aiWays } from './ai-ways.mjs';
import { callInEachWay, modelUrl } from './scenarios.mjs';

const sdk = new NodeSDK();
sdk.start();
const models = createOpenAICompatible({ name: 'fake', baseURL: modelUrl, apiKey: 'none' });
await callInEachWay(aiWays(ai, models, { experimental_telemetry: { isEnabled: true } }));
await sdk.shutdown();
