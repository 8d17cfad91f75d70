import { OpenTelemetry } from '@ai-sdk/otel';
import { NodeSDK } from '@opentelemetry/sdk-node';
import * as ai from 'ai-7';
import { createOpenAICompatible } from 'openai-compatible-3';
import { aiWays } from './ai-ways.mjs';
import { callInEachWay, modelUrl } from './scenarios.mjs';

const sdk = new NodeSDK();
sdk.start();
ai.registerTelemetry(new OpenTelemetry());
const models = createOpenAICompatible({ name: 'fake', baseURL: modelUrl, apiKey: 'none' });
await callInEachWay(aiWays(ai, models, {}));
await sdk.shutdown();
