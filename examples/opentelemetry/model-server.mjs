// Simulates a model: speaks the chat completions protocol on port 4399, always returns the same answer, and calls a
// tool if one is offered. No dependencies.
import { createServer } from 'node:http';

const PORT = 4399;
const ANSWER = 'At half past six, on the left side.';

const toolCalls = ([{ function: offered }]) => [
  { index: 0, id: 'call_1', type: 'function', function: { name: offered.name, arguments: '{"place":"Lisbon"}' } },
];

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const wanted = JSON.parse(text || '{}');
  const common = { id: 'chatcmpl-1', created: 1_700_000_000, model: `${wanted.model}-2026-01-01` };
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  if (wanted.stream === true) {
    response.setHeader('content-type', 'text/event-stream');
    const send = (part) =>
      response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...part })}\n\n`);
    for (const content of ANSWER.split(/(?= )/)) {
      send({ choices: [{ index: 0, delta: { role: 'assistant', content } }] });
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
    response.end('data: [DONE]\n\n');
    return;
  }
  const asked = wanted.tools?.length > 0;
  const message = asked
    ? { role: 'assistant', content: null, tool_calls: toolCalls(wanted.tools) }
    : { role: 'assistant', content: ANSWER };
  const choices = [{ index: 0, message, finish_reason: asked ? 'tool_calls' : 'stop' }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...common, object: 'chat.completion', usage, choices }));
});

server.listen(PORT, '127.0.0.1', () => console.log(`simulated model at http://127.0.0.1:${PORT}/v1`));
