import { ChatOpenAI } from '@langchain/openai';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const model = new ChatOpenAI({ model: 'gpt-4.1', callbacks: [cer.langchain()] });

console.log((await model.invoke('Where to in May?')).text);
await cer.close();
