import { z } from 'zod';

const params = { model: 'example-1', messages: [{ role: 'user', content: 'Hi' }] };
const streamed = { ...params, stream: true };

async function all(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

async function untilAborted(stream) {
  const parts = [];
  for await (const part of stream) {
    parts.push(part);
    stream.controller.abort();
  }
  return parts;
}

const facts = async (promise) => {
  const { data, response, request_id } = await promise.withResponse();
  return [Symbol.asyncIterator in data ? await all(data) : data, response.status, request_id];
};

/** The 13 behaviours of OpenAI's client. */
export const openaiCases = (OpenAI, helpers) => {
  const chat = (client) => client.chat.completions;
  const tool = {
    type: 'function',
    function: {
      ...{ name: 'sky', description: 'the sky of a city', parse: JSON.parse },
      function: ({ city }) => `clear over ${city}`,
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  };
  const format = helpers.zodResponseFormat(z.object({ city: z.string() }), 'city');
  return {
    create: (client) => chat(client).create(params),
    'request id': async (client) => (await chat(client).create(params))._request_id,
    parse: async (client) =>
      (await chat(client).parse({ ...params, response_format: format })).choices[0].message.parsed,
    runTools: (client) =>
      chat(client)
        .runTools({ ...params, tools: [tool] })
        .finalContent(),
    stream: async (client) => all(await chat(client).create(streamed)),
    withResponse: (client) => facts(chat(client).create(params)),
    asResponse: async (client) => (await chat(client).create(params).asResponse()).text(),
    'stream withResponse': (client) => facts(chat(client).create(streamed)),
    tee: async (client) => Promise.all((await chat(client).create(streamed)).tee().map(all)),
    toReadableStream: async (client) => new Response((await chat(client).create(streamed)).toReadableStream()).text(),
    'controller.abort': async (client) => untilAborted(await chat(client).create(streamed)),
    'stream helper': (client) =>
      chat(client)
        .stream(params)
        .on('content', () => undefined)
        .finalContent(),
    classes: async (client) => {
      const promise = chat(client).create(params);
      await promise;
      return [client instanceof OpenAI, promise instanceof helpers.APIPromise];
    },
  };
};

/** The behaviours of Anthropic's client. */
export const anthropicCases = (Anthropic, helpers) => {
  const asked = { ...params, max_tokens: 64 };
  const more = { ...asked, stream: true };
  return {
    create: ({ messages }) => messages.create(asked),
    'request id': async ({ messages }) => (await messages.create(asked))._request_id,
    stream: async ({ messages }) => all(await messages.create(more)),
    withResponse: ({ messages }) => facts(messages.create(asked)),
    asResponse: async ({ messages }) => (await messages.create(asked).asResponse()).text(),
    'stream withResponse': ({ messages }) => facts(messages.create(more)),
    tee: async ({ messages }) => Promise.all((await messages.create(more)).tee().map(all)),
    toReadableStream: async ({ messages }) => new Response((await messages.create(more)).toReadableStream()).text(),
    'controller.abort': async ({ messages }) => untilAborted(await messages.create(more)),
    'stream helper': ({ messages }) =>
      messages
        .stream(asked)
        .on('text', () => undefined)
        .finalText(),
    classes: async (client) => {
      const promise = client.messages.create(asked);
      await promise;
      return [client instanceof Anthropic, promise instanceof helpers.APIPromise];
    },
  };
};

/** The behaviours of the AI SDK. @param client `{ai, model}` */
export const aiCases = () => ({
  generateText: async ({ ai, model }) => (await ai.generateText({ model, prompt: 'Hi' })).text,
  'response headers': async ({ ai, model }) =>
    (await ai.generateText({ model, prompt: 'Hi' })).response.headers['x-request-id'],
  stream: async ({ ai, model }) => all(ai.streamText({ model, prompt: 'Hi' }).textStream),
  abort: async ({ ai, model }) => {
    const aborter = new AbortController();
    const parts = [];
    for await (const part of ai.streamText({ model, prompt: 'Hi', abortSignal: aborter.signal }).textStream) {
      parts.push(part);
      aborter.abort();
    }
    return parts.slice(0, 1);
  },
});
