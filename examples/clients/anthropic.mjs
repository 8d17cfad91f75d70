import Anthropic from '@anthropic-ai/sdk';
import { certificates } from '@cer/client';

const cer = certificates({ appId: 'travel-desk', onCertified: ({ certificateHash }) => console.log(certificateHash) });
const anthropic = cer.anthropic(new Anthropic());

const stream = anthropic.messages.stream({
  model: 'claude-sonnet-5-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Where to in May?' }],
});
console.log(await stream.finalText());
await cer.close();
