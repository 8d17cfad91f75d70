import OpenAI from 'openai';
import { certificates } from '@cer/client';

const withoutCards = (value) => JSON.parse(JSON.stringify(value).replaceAll(/\b(?:\d{4} ?){4}\b/g, '[card]'));
const cer = certificates({ appId: 'travel-desk', redaction: { name: 'cards-1', redact: withoutCards } });
const openai = cer.openai(new OpenAI());

const content = 'Where to in May? My card is 4111 1111 1111 1111.';
const answer = await openai.chat.completions.create({ model: 'gpt-4.1', messages: [{ role: 'user', content }] });
console.log(answer.choices[0].message.content);
console.log(cer.of(answer).certificateHash);
await cer.close();
