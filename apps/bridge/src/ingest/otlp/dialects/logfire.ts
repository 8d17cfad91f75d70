import type { Dialect } from '../spans/model-call.js';
import type { Attributes } from '../spans/span.js';
import { genAi } from './gen-ai.js';

/** The span with the answer of a stream, which Logfire writes when the stream is closed. */
const STREAMED = /^streaming response from /;
/** An answer that came as a whole leaves one of these on the span of its request. */
const ANSWERED = ['gen_ai.response.id', 'gen_ai.output.messages', 'gen_ai.usage.input_tokens'];

/** Logfire's own observers of SDKs: the current conventions, where a stream has two spans that are not parent and child. */
export const logfire: Dialect = {
  ...genAi,
  name: 'logfire',
  recognise: (span) => {
    const { attributes, status } = span;
    if (!attributes.has('logfire.msg_template')) return null;
    const found = genAi.recognise(span);
    const isChat = attributes.get('gen_ai.operation.name') === 'chat';
    if (found !== 'call' || !isChat || status === 'error' || isStreamed(attributes)) return found;
    return ANSWERED.some((name) => attributes.has(name)) ? 'call' : 'other';
  },
  read: (span) => {
    const call = genAi.read(span);
    return { ...call, isStreamed: call.isStreamed || isStreamed(span.attributes) };
  },
};

function isStreamed(attributes: Attributes): boolean {
  const template = attributes.get('logfire.msg_template');
  return typeof template === 'string' && STREAMED.test(template);
}
