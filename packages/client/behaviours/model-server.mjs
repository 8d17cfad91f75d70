import { createServer } from 'node:http';

const CHAT = { id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: 'example-1' };
const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'example-1', stop_sequence: null },
  usage: { input_tokens: 1, output_tokens: 2 },
};

const event = (value, name) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(value)}\n\n`;

function chat({ stream, tools, messages, response_format: format }, response) {
  const isAsked = tools !== undefined && !messages.some(({ role }) => role === 'tool');
  const call = { id: 'call_1', type: 'function', function: { name: 'sky', arguments: '{"city":"Lisbon"}' } };
  const content = format === undefined ? 'Hello there' : '{"city":"Lisbon"}';
  const message = { role: 'assistant', content: isAsked ? null : content, refusal: null };
  if (isAsked) message.tool_calls = [call];
  const finish_reason = isAsked ? 'tool_calls' : 'stop';
  if (stream !== true) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...CHAT, choices: [{ index: 0, message, finish_reason, logprobs: null }] }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const chunk = (delta, reason = null) =>
    event({ ...CHAT, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });
  response.write(chunk({ role: 'assistant', content: '' }));
  for (const text of ['Hel', 'lo ', 'there']) response.write(chunk({ content: text }));
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

function messages({ stream }, response) {
  const content = [{ type: 'text', text: 'Hello there' }];
  if (stream !== true) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...MESSAGE, content, stop_reason: 'end_turn' }));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const named = (type, members) => event({ type, ...members }, type);
  response.write(named('message_start', { message: { ...MESSAGE, content: [], stop_reason: null } }));
  response.write(named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }));
  for (const text of ['Hel', 'lo ', 'there']) {
    response.write(named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }));
  }
  response.write(named('content_block_stop', { index: 0 }));
  const delta = { stop_reason: 'end_turn', stop_sequence: null };
  response.end(named('message_delta', { delta, usage: { output_tokens: 2 } }) + named('message_stop', {}));
}

/** @returns the address of a server that speaks both protocols, without `/v1` */
export async function startModelServer() {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      response.setHeader('x-request-id', 'req-1');
      response.setHeader('request-id', 'req-1');
      (request.url.endsWith('/messages') ? messages : chat)(JSON.parse(body), response);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}
