// The certify request of each span of a model call, built here from the text of docs/bridge.md.

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const HEADING = 'Evidence bridge: machine path';
const QUESTION = [{ role: 'user', parts: [{ type: 'text', content: 'Q' }] }];
const ANSWER = [{ role: 'assistant', parts: [{ type: 'text', content: 'A' }] }];
const CALL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.request.temperature': 0.5,
  'gen_ai.request.max_tokens': 100,
  'gen_ai.input.messages': JSON.stringify(QUESTION),
  'gen_ai.output.messages': JSON.stringify(ANSWER),
};
const ABSENT = { 'gen_ai.input.messages': undefined, 'gen_ai.output.messages': undefined };
const BOTH = (value) => ({ input: value, output: value });
const NOTHING = BOTH({ contentRecorded: false, spanName: 'chat gpt-4o', operation: 'chat' });

function anyValue(value) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const attributesOf = (members) =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }));

function spanOf({ attributes = {}, ...members }) {
  return {
    traceId: TRACE,
    spanId: SPAN,
    name: 'chat gpt-4o',
    kind: 3,
    startTimeUnixNano: '1767323045678901234',
    endTimeUnixNano: '1767323046000000000',
    attributes: attributesOf({ ...CALL, ...attributes }),
    ...members,
  };
}

const exportOf = (spans, service = 'shop') => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(service === null ? {} : { 'service.name': service }) },
      scopeSpans: [{ scope: { name: 'suite' }, spans: spans.map(spanOf) }],
    },
  ],
});

const defined = (members) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The item of a span; `payload` and the other members replace those of the usual call, undefined removes. */
function itemOf({ payload = {}, ...members } = {}, spanId = SPAN) {
  const request = {
    executionId: `otel:${TRACE}:${spanId}`,
    protocolVersion: '1.2.0',
    provider: 'openai',
    model: 'gpt-4o',
    appId: 'shop',
    createdAt: '2026-01-02T03:04:05.678901234Z',
    timestamp: '2026-01-02T03:04:05.678901234Z',
    parameters: { temperature: 0.5, maxTokens: 100 },
    input: { messages: QUESTION },
    output: { messages: ANSWER },
    ...members,
  };
  const stated = {
    projection: 'otel.v2',
    dialect: 'gen_ai',
    operation: 'chat',
    traceId: TRACE,
    spanId,
    startTime: request.createdAt,
    endTime: '2026-01-02T03:04:06.000000000Z',
    status: 'unset',
    outcome: 'complete',
    contentRecorded: BOTH(true),
    service: { name: 'shop' },
    ...payload,
  };
  const signals = [{ type: 'otel.span', source: 'opentelemetry', payload: defined(stated) }];
  return { executionId: request.executionId, request: defined({ ...request, signals }) };
}

const unrecorded = (reason) => ({
  ...NOTHING,
  payload: { contentRecorded: BOTH(false), unrecorded: BOTH(reason) },
});
const unrecordedInput = (reason) => ({
  input: NOTHING.input,
  payload: { contentRecorded: { input: false, output: true }, unrecorded: { input: reason } },
});
const failedWith = (outcome, error) => ({
  output: NOTHING.output,
  payload: { outcome, error, contentRecorded: { input: true, output: false }, unrecorded: { output: outcome } },
});
const NO_OUTPUT = { 'gen_ai.output.messages': undefined };

/** [id, rule, span, members of its request, options] */
const CERTIFIED = [
  ['call', 'A call becomes one certify request; times keep their nanoseconds.', {}, {}],
  ['protocol', 'The protocol is the one that is asked for.', {}, { protocolVersion: '1.3.0' }, { protocol: '1.3.0' }],
  [
    'confidential',
    'Under 1.3.1 prompt is the label of the operation, and the four parameters are stated.',
    {},
    {
      protocolVersion: '1.3.1',
      prompt: 'gen_ai.chat',
      parameters: { temperature: 0.5, maxTokens: 100, topP: null, seed: null },
    },
    { protocol: '1.3.1' },
  ],
  [
    'parameters',
    'topP and seed are copied where they are recorded.',
    { attributes: { 'gen_ai.request.top_p': 0.25, 'gen_ai.request.seed': 7 } },
    { parameters: { temperature: 0.5, maxTokens: 100, topP: 0.25, seed: 7 } },
  ],
  [
    'optional-content',
    'With content=optional a call without content is certified as that.',
    { attributes: { ...ABSENT, 'gen_ai.response.finish_reasons': ['stop'] } },
    {
      ...NOTHING,
      payload: { contentRecorded: BOTH(false), unrecorded: BOTH('not-recorded'), finishReasons: ['stop'] },
    },
    { content: 'optional' },
  ],
  [
    'truncated-content',
    'Content that is stated to be cut is not evidence of the content.',
    { attributes: { 'anthropic.content.truncated': true } },
    unrecorded('truncated'),
  ],
  [
    'dropped-attributes',
    'A span that lost attributes is not evidence of the content.',
    { droppedAttributesCount: 2 },
    unrecorded('attributes-dropped'),
  ],
  [
    'length-limit',
    'JSON that breaks off was cut.',
    { attributes: { 'gen_ai.input.messages': `${JSON.stringify(QUESTION).slice(0, -3)}${'x'.repeat(120)}` } },
    unrecorded('length-limit'),
  ],
  [
    'left-out-part',
    'A side of which parts were left out is not evidence of the content.',
    {
      attributes: {
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'image' }] }, ...QUESTION]),
      },
    },
    unrecordedInput('parts-left-out'),
  ],
  [
    'messages-without-content',
    'Messages of which only the form is there are content that is not recorded.',
    { attributes: { 'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text' }] }]) } },
    unrecordedInput('not-recorded'),
    { content: 'optional' },
  ],
  [
    'failed',
    'A failed call is certified with its recorded content; of the error only type and status are copied.',
    {
      attributes: { ...NO_OUTPUT, 'error.type': 'timeout', 'http.response.status_code': 504 },
      status: { code: 2, message: 'the secret of the upstream' },
    },
    failedWith('failed', { type: 'timeout', httpStatus: 504 }),
    { status: 'error' },
  ],
  [
    'aborted',
    'An abort is not a failure.',
    { attributes: { ...NO_OUTPUT, 'error.type': 'AbortError' } },
    failedWith('aborted', { type: 'AbortError' }),
  ],
  [
    'limit-reached',
    'A finish reason of a limit is outcome truncated.',
    { attributes: { 'gen_ai.response.finish_reasons': ['length'] } },
    { payload: { outcome: 'truncated', finishReasons: ['length'] } },
  ],
  [
    'usage',
    'Counts of tokens are stated.',
    { attributes: { 'gen_ai.usage.input_tokens': 12, 'gen_ai.usage.output_tokens': 3 } },
    { payload: { usage: { inputTokens: 12, outputTokens: 3 } } },
  ],
  [
    'response',
    'modelVersion is the model that the response names.',
    { attributes: { 'gen_ai.response.model': 'gpt-4o-2026', 'gen_ai.response.id': 'resp-1' } },
    { modelVersion: 'gpt-4o-2026', payload: { responseId: 'resp-1' } },
  ],
  [
    'conversation',
    'The conversation is a label of the workflow.',
    { attributes: { 'gen_ai.conversation.id': 'c-1' } },
    { payload: { workflow: { conversationId: 'c-1' } } },
  ],
  [
    'unnamed-attributes',
    'Members outside the allow-list are dropped.',
    {
      attributes: { 'user.id': 'u', 'url.full': 'https://a/?key=secret', 'enduser.id': 'e' },
      events: [{ name: 'exception', timeUnixNano: '1', attributes: attributesOf({ 'exception.message': 'm' }) }],
    },
    {},
  ],
  [
    'label-with-control',
    'A label with a control character counts as absent.',
    { attributes: { 'gen_ai.conversation.id': 'a\u0007b' } },
    {},
  ],
];

/** [id, rule, span, options] of spans of which no certificate is made. */
const REFUSED = [
  ['no-provider', 'A span without a provider is refused.', { attributes: { 'gen_ai.provider.name': undefined } }],
  ['no-model', 'A span without a model is refused.', { attributes: { 'gen_ai.request.model': undefined } }],
  ['long-model', 'A label has at most 256 characters.', { attributes: { 'gen_ai.request.model': 'm'.repeat(257) } }],
  ['no-content', 'Without content=optional a span without content is refused.', { attributes: ABSENT }],
  ['no-end', 'A span that has not ended is refused.', { endTimeUnixNano: '0' }],
  [
    'no-temperature',
    'The bridge never fills in a number.',
    { attributes: { 'gen_ai.request.temperature': undefined } },
    { protocol: '1.3.1' },
  ],
  [
    'no-max-tokens',
    'The bridge never fills in a number.',
    { attributes: { 'gen_ai.request.max_tokens': undefined } },
    { protocol: '1.3.1' },
  ],
];

function caseOf(id, rule, exported, expected, options = {}) {
  const { protocol = '1.2.0', content = 'required' } = options;
  const file = { export: JSON.stringify(exported), protocol, content };
  return { id: `span/${id}`, heading: HEADING, rule, command: 'span', file, expected };
}

const refusedItem = (traceId = TRACE) => ({ executionId: `otel:${traceId}:${SPAN}`, isRefused: true });
const tool = { attributes: { 'gen_ai.operation.name': 'execute_tool' } };
const child = { spanId: 'c7ad6b7169203332', parentSpanId: SPAN };

export function spanCases() {
  const certified = CERTIFIED.map(([id, rule, span, members, options]) => {
    const { status } = options ?? {};
    const stated = { ...members, payload: { ...(status && { status }), ...members.payload } };
    return caseOf(id, rule, exportOf([span]), { items: [itemOf(stated)] }, options);
  });
  const refused = REFUSED.map(([id, rule, span, options]) =>
    caseOf(`${id}_fail`, rule, exportOf([span]), { items: [refusedItem()] }, options),
  );
  const zero = '0'.repeat(32);
  return [
    ...certified,
    ...refused,
    caseOf('zero-trace_fail', 'A trace id is not zero.', exportOf([{ traceId: zero }]), { items: [refusedItem(zero)] }),
    caseOf('tool', 'A span that is not a call of a model is accepted and not certified.', exportOf([tool]), {
      items: [],
    }),
    caseOf(
      'parent-and-child',
      'Of a parent and a child that are the same call the inner one is certified.',
      exportOf([{}, child]),
      { items: [itemOf({ payload: { parentSpanId: SPAN } }, child.spanId)] },
    ),
    caseOf('two-calls', 'Each call has its own certificate, in order.', exportOf([{}, { spanId: child.spanId }]), {
      items: [itemOf(), itemOf({}, child.spanId)],
    }),
    caseOf('no-service', 'Without a service there is no appId.', exportOf([{}], null), {
      items: [itemOf({ appId: undefined, payload: { service: undefined } })],
    }),
    {
      ...caseOf('not-json_fail', 'A body that is not an export is refused.', {}, { refused: 'VALIDATION_ERROR' }),
      file: { export: '{"resourceSpans":', protocol: '1.2.0', content: 'required' },
    },
    caseOf(
      'lists-instead_fail',
      'A member of another type is refused.',
      { resourceSpans: {} },
      {
        refused: 'VALIDATION_ERROR',
      },
    ),
  ];
}
