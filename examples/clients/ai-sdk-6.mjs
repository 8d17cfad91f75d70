import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, wrapLanguageModel } from 'ai';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const models = createOpenAICompatible({ name: 'local', baseURL: process.env.OPENAI_BASE_URL });
const model = wrapLanguageModel({ model: models('gpt-4.1'), middleware: cer.aiSdkMiddleware() });

console.log((await generateText({ model, prompt: 'Where to in May?' })).text);
await cer.close();
