import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, registerTelemetry } from 'ai';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
registerTelemetry(cer.aiSdk());

// With the fetch option certificates bind the requests to the byte; without it, what the AI SDK reports.
const models = createOpenAICompatible({ name: 'local', baseURL: process.env.OPENAI_BASE_URL, fetch: cer.fetch() });
const { text } = await generateText({ model: models('gpt-4.1'), prompt: 'Where to in May?' });
console.log(text);
await cer.close();
