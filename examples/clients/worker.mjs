import { certificates } from '@cer/client';

export default {
  async fetch(request, env, context) {
    const cer = certificates({
      appId: 'travel-desk-edge',
      nodeUrl: env.CER_NODE_URL,
      apiKey: env.CER_API_KEY,
      waitUntil: (work) => context.waitUntil(work),
    });
    return cer.fetch({ provider: 'openai' })(`${env.OPENAI_BASE_URL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${env.OPENAI_API_KEY}` },
      body: JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Where to in May?' }] }),
    });
  },
};
