// A program with a client of its own, started with the registration.
import OpenAI from 'openai';

const { certificates } = await import(process.env.CLIENT);
const cer = certificates({ appId: 'own' });
const client = cer.openai(new OpenAI({ apiKey: 'key', baseURL: process.env.MODEL_URL, maxRetries: 0 }));
const messages = [{ role: 'user', content: 'the secret of the caller' }];
const { choices } = await client.chat.completions.create({ model: 'example-1', messages });
console.log(choices[0].message.content);
