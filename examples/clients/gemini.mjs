import { GoogleGenAI } from '@google/genai';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const gemini = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY, httpOptions: { fetch: cer.fetch() } });

const stream = await gemini.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'Where to in May?' });
for await (const { text } of stream) process.stdout.write(text ?? '');
console.log();
await cer.close();
