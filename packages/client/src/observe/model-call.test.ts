import { describe, expect, it } from '@jest/globals';
import { modelCallOf } from './model-call.js';

const posted = (url: string, body: string | FormData): ReturnType<typeof modelCallOf> =>
  modelCallOf(url, { method: 'POST', body });

it.each([
  ['text', Buffer.from('{"model":"é"}'), '{"model":"é"}'],
  ['no text', Buffer.from('{"model":"é"}', 'latin1'), null],
])('a body of bytes is that of a call: %s', (_, body, text) => {
  const init = { method: 'POST', body };
  expect(modelCallOf('https://api.openai.com/v1/chat/completions', init)).toMatchObject({ body: text });
});

describe('a request to a path of messages', () => {
  it.each([
    ['of a chat service', '{"content":"the \\"model\\" is here"}'],
    ['without JSON', 'to=a&text=b'],
  ])('is no call of a model: %s', (_, body) => {
    expect(posted('https://chat.example/api/channels/1/messages', body)).toBeNull();
  });

  it('is a call where it names a model, or cannot be read', () => {
    expect(posted('https://api.anthropic.com/v1/messages', '{ "model" : "m" }')).toMatchObject({ attempt: 0 });
    expect(posted('https://api.anthropic.com/v1/messages', new FormData())).toMatchObject({ body: null });
  });

  it('differs from other paths, whose deployment may name the model', () => {
    expect(posted('https://x.example/deployments/m/chat/completions', '{"messages":[]}')).toMatchObject({ attempt: 0 });
  });
});
