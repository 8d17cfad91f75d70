import { Ollama } from 'ollama';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const ollama = new Ollama({ host: process.env.OLLAMA_HOST, fetch: cer.fetch({ provider: 'ollama' }) });

const messages = [{ role: 'user', content: 'Where to in May?' }];
for await (const { message } of await ollama.chat({ model: 'llama3.2', messages, stream: true })) {
  process.stdout.write(message.content);
}
console.log();
await cer.close();
