// A program that knows nothing of certificates.
import OpenAI from 'openai';

const client = new OpenAI({ apiKey: 'key', baseURL: process.env.MODEL_URL, maxRetries: 0 });
const messages = [{ role: 'user', content: 'the secret of the caller' }];
const { choices } = await client.chat.completions.create({ model: 'example-1', messages });
console.log(choices[0].message.content);
