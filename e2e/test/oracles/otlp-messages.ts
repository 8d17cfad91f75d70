import fc from 'fast-check';
import type { JsonValue } from '@cer/canonical-json';
import type { Attributes, Span } from '../../../apps/bridge/src/ingest/otlp/spans/span.js';
import { requestType } from './otlp-schema.js';

// OTLP's trace export by protobufjs: requests to encode, and the spans that it reads from bytes.

const whole = requestType('all');
const read = requestType('read');

/** The bytes of a request, by the whole schema. */
export function encodeRequest(request: object): Buffer {
  return Buffer.from(whole.encode(whole.fromObject(request)).finish());
}

interface AnyValue {
  readonly value?: string;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly bytesValue?: Uint8Array;
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
  readonly kvlistValue?: { readonly values: readonly KeyValue[] };
}
interface KeyValue {
  readonly key: string;
  readonly value: AnyValue | null;
}
interface Attributed {
  readonly attributes: readonly KeyValue[];
  readonly droppedAttributesCount: number;
}
interface DecodedSpan extends Attributed {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly events: readonly (Attributed & { readonly name: string })[];
  readonly droppedEventsCount: number;
  readonly status: { readonly code: number } | null;
}
interface DecodedRequest {
  readonly resourceSpans: readonly {
    readonly resource: Attributed | null;
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}

/** The spans that protobufjs reads, in the form of the bridge. @throws where protobufjs refuses the bytes */
export function spansByProtobufjs(bytes: Uint8Array): readonly Span[] {
  const { resourceSpans } = read.toObject(read.decode(bytes), {
    longs: String,
    bytes: Buffer,
    defaults: true,
    oneofs: true,
  }) as DecodedRequest;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(span, attributesOf(resource?.attributes ?? [])))),
  );
}

function spanOf(span: DecodedSpan, resource: Attributes): Span {
  const hex = (id: Uint8Array): string => Buffer.from(id).toString('hex');
  const parent = hex(span.parentSpanId);
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: /[^0]/.test(parent) ? parent : null,
    name: span.name,
    startNano: BigInt(span.startTimeUnixNano),
    endNano: BigInt(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    droppedAttributes: span.droppedAttributesCount,
    events: span.events.map((event) => ({
      name: event.name,
      attributes: attributesOf(event.attributes),
      droppedAttributes: event.droppedAttributesCount,
    })),
    droppedEvents: span.droppedEventsCount,
    status: span.status?.code === 1 ? 'ok' : span.status?.code === 2 ? 'error' : 'unset',
    resource,
  };
}

function attributesOf(pairs: readonly KeyValue[]): Attributes {
  return new Map(pairs.map(({ key, value }) => [key, jsonOf(value)]));
}

function jsonOf(any: AnyValue | null): JsonValue {
  if (any === null) return null;
  switch (any.value) {
    case 'stringValue':
      return any.stringValue ?? '';
    case 'boolValue':
      return any.boolValue ?? false;
    case 'intValue': {
      const text = any.intValue ?? '0';
      return Number.isSafeInteger(Number(text)) ? Number(text) : text;
    }
    case 'doubleValue': {
      const number = any.doubleValue ?? 0;
      return Number.isFinite(number) ? number : String(number);
    }
    case 'bytesValue':
      return Buffer.from(any.bytesValue ?? []).toString('base64');
    case 'arrayValue':
      return (any.arrayValue?.values ?? []).map(jsonOf);
    case 'kvlistValue':
      return Object.fromEntries((any.kvlistValue?.values ?? []).map(({ key, value }) => [key, jsonOf(value)]));
    case undefined:
    default:
      return null;
  }
}

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', '\0', 'é', '\ufffd', '😀'), fc.string({ maxLength: 1 })),
});
const count = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const int64 = fc.oneof(fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })).map(String);
const id = (bytes: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(fc.uint8Array({ minLength: bytes, maxLength: bytes }), fc.uint8Array({ maxLength: bytes + 2 }));

const { pair } = fc.letrec<{ any: object; pair: object }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(
      fc.constant({}),
      fc.record({ stringValue: text }),
      fc.record({ boolValue: fc.boolean() }),
      fc.record({ intValue: int64 }),
      fc.record({ doubleValue: fc.double() }),
      fc.record({ bytesValue: fc.uint8Array({ maxLength: 8 }) }),
    ),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('any'), { maxLength: 3 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('pair'), { maxLength: 3 }) }) }),
  ),
  pair: fc.record({ key: fc.oneof(fc.constantFrom('a', '__proto__'), text), value: tie('any') }, { requiredKeys: [] }),
}));

const attributed = { attributes: fc.array(pair, { maxLength: 4 }), droppedAttributesCount: count };
const optional = { requiredKeys: [] };
const span = fc.record(
  {
    ...attributed,
    traceId: id(16),
    spanId: id(8),
    parentSpanId: fc.oneof(fc.constant(new Uint8Array(8)), id(8)),
    traceState: text,
    flags: count,
    name: text,
    kind: fc.nat(5),
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    events: fc.array(fc.record({ ...attributed, name: text, timeUnixNano: uint64 }, optional), { maxLength: 3 }),
    droppedEventsCount: count,
    links: fc.array(fc.record({ ...attributed, traceId: id(16), traceState: text }, optional), { maxLength: 2 }),
    droppedLinksCount: count,
    status: fc.record({ code: fc.integer({ min: -1, max: 3 }), message: text }, optional),
  },
  optional,
);

/** Requests with any member left out, in the form that protobufjs encodes. */
export const requests: fc.Arbitrary<object> = fc.record({
  resourceSpans: fc.array(
    fc.record(
      {
        resource: fc.record(attributed, optional),
        scopeSpans: fc.array(
          fc.record(
            {
              scope: fc.record({ ...attributed, name: text, version: text }, optional),
              spans: fc.array(span, { maxLength: 3 }),
              schemaUrl: text,
            },
            optional,
          ),
          { maxLength: 2 },
        ),
        schemaUrl: text,
      },
      optional,
    ),
    { maxLength: 2 },
  ),
});
