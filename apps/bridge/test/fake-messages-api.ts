import type { ServerResponse } from 'node:http';

/** The parts of a request that determine the answer. */
export interface ModelRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: unknown;
  readonly encoding_format?: string;
}

const TOOL_USE = [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { place: 'Lisbon' } }];

/** Anthropic's messages, as one answer or as events. */
export function answerMessages(wanted: ModelRequest, response: ServerResponse): void {
  if (wanted.model === 'fake-error') {
    const error = { type: 'invalid_request_error', message: 'CONTENT-REFUSED' };
    sendJson(response, 400, { type: 'error', error });
    return;
  }
  const end = wanted.model === 'fake-limit' ? 'max_tokens' : 'end_turn';
  const base = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: `${wanted.model}-2026-01-01`,
    stop_sequence: null,
  };
  if (wanted.stream === true) {
    streamMessage(wanted.model, base, end, response);
    return;
  }
  sendJson(response, 200, {
    ...base,
    stop_reason: wanted.tools === undefined ? end : 'tool_use',
    usage: { input_tokens: 11, output_tokens: 7 },
    content: wanted.tools === undefined ? [{ type: 'text', text: 'CONTENT-ANSWER' }] : TOOL_USE,
  });
}

function streamMessage(model: string, base: object, stop_reason: string, response: ServerResponse): void {
  response.setHeader('content-type', 'text/event-stream');
  const send = (type: string, members: object = {}): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`);
  };
  const piece = (text: string): object => ({ index: 0, delta: { type: 'text_delta', text } });
  const usage = { input_tokens: 11, output_tokens: 1 };
  send('message_start', { message: { ...base, content: [], stop_reason: null, usage } });
  send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  send('content_block_delta', piece('CONTENT-'));
  if (model === 'fake-abort') return;
  if (model === 'fake-end') {
    response.end();
    return;
  }
  send('content_block_delta', piece('ANSWER'));
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } });
  send('message_stop');
  response.end();
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
