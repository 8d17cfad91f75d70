// Journeys of a caller that traces its requests.
import { randomBytes } from 'node:crypto';
import { CERTIFY, execution } from './journey.mjs';

const hex = (bytes) => randomBytes(bytes).toString('hex');

/** Certifies in a new trace of the caller. */
async function certifyIn(api, request, flags = '01') {
  const [traceId, parentId] = [hex(16), hex(8)];
  const { status } = await api.post(CERTIFY, request, { traceparent: `00-${traceId}-${parentId}-${flags}` });
  return { status, traceId, parentId };
}

const named = (spans, name) => spans.find((span) => span.name === name);

/** [id, heading, rule, journey]; a journey returns what was seen and what must have been: {name: [seen, expected]} */
export const TRACING = [
  [
    'traced',
    'Tracing',
    'A request is a span of the trace of its caller, with one for the signature and one for the commit within it.',
    async (api) => {
      const { status, traceId, parentId } = await certifyIn(api, execution());
      const spans = await api.spansOf(traceId, 3);
      const request = named(spans, `POST ${CERTIFY}`);
      return {
        status: [status, 200],
        parent: [request?.parentSpanId, parentId],
        signature: [named(spans, 'signer sign')?.traceId, traceId],
        commit: [named(spans, 'store commit')?.traceId, traceId],
      };
    },
  ],
  [
    'traced_without_content',
    'Tracing',
    'Spans hold no body, key or executionId.',
    async (api) => {
      const request = execution({ input: `input-${hex(8)}`, output: `output-${hex(8)}` });
      const { traceId } = await certifyIn(api, request);
      const text = JSON.stringify(await api.spansOf(traceId, 3));
      const secrets = [request.input, request.output, request.executionId, api.apiKey];
      return { held: [secrets.filter((secret) => text.includes(secret)).length, 0] };
    },
  ],
  [
    'traced_refusal',
    'Tracing',
    'A refused request is a span with its status, named by the pattern of its route.',
    async (api) => {
      const { status, traceId } = await certifyIn(api, '{');
      const [span] = await api.spansOf(traceId, 1);
      const stated = span.attributes.find(({ value }) => Number(value.intValue) === 400);
      return { status: [status, 400], name: [span.name, `POST ${CERTIFY}`], stated: [stated !== undefined, true] };
    },
  ],
  [
    'not_sampled',
    'Tracing',
    'Traces that the caller does not sample are not sent.',
    async (api) => {
      const silent = await certifyIn(api, execution(), '00');
      const { traceId } = await certifyIn(api, execution());
      await api.spansOf(traceId, 3);
      return { status: [silent.status, 200], spans: [(await api.spansOf(silent.traceId, 0)).length, 0] };
    },
  ],
];
