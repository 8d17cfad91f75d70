import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const fetch = cer.fetch({ provider: 'ollama' });

const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'llama3.2', messages: [{ role: 'user', content: 'Where to in May?' }] }),
});
console.log((await response.json()).choices[0].message.content);
await cer.close();
