import { afterAll, expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import fc from 'fast-check';
import type { Span } from '../../../apps/bridge/src/ingest/otlp/spans/span.js';
import { decodeJson } from '../../../apps/bridge/src/ingest/otlp/wire/decode-json.js';
import { decodeProtobuf } from '../../../apps/bridge/src/ingest/otlp/wire/decode-protobuf.js';
import { oracleRuns, OutcomeCounts } from './oracle.js';

// The requests of OpenTelemetry's own exporters for a span, in both forms, against the span itself.

type Exported = NonNullable<Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0]>[number];

const counts = new OutcomeCounts();
const { seed, numRuns } = oracleRuns(500);
afterAll(() => {
  counts.report('OTLP: the exporters of OpenTelemetry', seed);
});

const text = fc.string({ unit: 'binary', maxLength: 12 });
const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'));
/** Integers that a double holds: of larger ones the exporter makes integers of more than 64 bits. */
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
);
const value = fc.oneof(
  text,
  fc.boolean(),
  number,
  fc.array(text, { maxLength: 3 }),
  fc.array(number, { maxLength: 3 }),
);
const attributes = fc.dictionary(text, value, { maxKeys: 5, noNullPrototype: true });
const count = fc.nat(1000);
const status = fc.record({ code: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR) });
const time = fc.tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.nat(999_999_999));

const spans: fc.Arbitrary<Exported> = fc
  .record({
    ...{ traceId: hex(16), spanId: hex(8), parentSpanId: fc.option(hex(8), { nil: undefined }) },
    ...{
      name: text,
      kind: fc.constantFrom(SpanKind.CLIENT, SpanKind.INTERNAL),
      startTime: time,
      endTime: time,
      attributes,
      resource: attributes,
    },
    ...{ droppedAttributesCount: count, droppedEventsCount: count, status },
    events: fc.array(fc.record({ name: text, time, attributes, droppedAttributesCount: count }), { maxLength: 3 }),
  })
  .map(({ traceId, spanId, parentSpanId, resource, ...span }) => ({
    ...span,
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    ...(parentSpanId !== undefined && { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: 1 } }),
    resource: resourceFromAttributes(resource),
    instrumentationScope: { name: 'oracle' },
    links: [],
    droppedLinksCount: 0,
    duration: [0, 0],
    ended: true,
  }));

const STATUS = {
  [SpanStatusCode.UNSET]: 'unset',
  [SpanStatusCode.OK]: 'ok',
  [SpanStatusCode.ERROR]: 'error',
} as const;
const nano = ([seconds, rest]: readonly [number, number]): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(rest);

function expected(span: Exported): Span {
  const { traceId, spanId } = span.spanContext();
  const parent = span.parentSpanContext?.spanId ?? '';
  const entries = (of: object): Span['attributes'] => new Map(Object.entries(of));
  return {
    ...{ traceId, spanId, parentSpanId: /[1-9a-f]/.test(parent) ? parent : null, name: span.name },
    ...{ startNano: nano(span.startTime), endNano: nano(span.endTime), attributes: entries(span.attributes) },
    droppedAttributes: span.droppedAttributesCount,
    events: span.events.map((event) => ({
      name: event.name,
      attributes: entries(event.attributes ?? {}),
      droppedAttributes: event.droppedAttributesCount ?? 0,
    })),
    droppedEvents: span.droppedEventsCount,
    status: STATUS[span.status.code],
    resource: entries(span.resource.attributes),
  };
}

it.each([
  ['protobuf', ProtobufTraceSerializer, decodeProtobuf],
  ['JSON', JsonTraceSerializer, decodeJson],
] as const)('reads what an exporter sends as %s', (form, serializer, decode) => {
  fc.assert(
    fc.property(spans, (span) => {
      const bytes = serializer.serializeRequest([span]);
      if (bytes === undefined) throw new Error('the exporter made nothing');
      expect(decode(Buffer.from(bytes), 10)).toEqual([expected(span)]);
      counts.add(form);
    }),
    { numRuns, seed },
  );
});
