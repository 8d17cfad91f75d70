import OpenAI from 'openai';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const openai = cer.openai(new OpenAI());

const stream = await openai.chat.completions.create({
  model: 'gpt-4.1',
  messages: [{ role: 'user', content: 'Where to in May?' }],
  stream: true,
});
for await (const { choices } of stream) process.stdout.write(choices[0]?.delta.content ?? '');
console.log();
await cer.close();
