import { setMember, type JsonValue } from '@cer/canonical-json';
import {
  doubleValue,
  integerValue,
  malformed,
  MAX_ATTRIBUTE_DEPTH,
  MAX_ATTRIBUTES,
  MAX_EVENTS,
  statusOf,
  tooMany,
  type Attributes,
  type Span,
  type SpanEvent,
} from '../spans/span.js';
import { ProtobufReader } from './protobuf-reader.js';

// Field numbers are those of the public OTLP schema, opentelemetry.proto.{collector.trace,trace,common}.v1.

// A member that is a message and occurs twice is merged, as protobuf demands; of any other the last one counts.

/** A value to which later parts may be added. */
type Growing = null | boolean | number | string | Growing[] | { [member: string]: Growing };

/**
 * Reads an ExportTraceServiceRequest in protobuf form.
 * @throws OtlpError for bytes that are none, and past the limits, before memory is spent on them
 */
export function decodeProtobuf(bytes: Buffer, spanLimit: number): readonly Span[] {
  const spans: Span[] = [];
  const request = new ProtobufReader(bytes);
  while (request.next()) {
    if (request.field === 1) readResourceSpans(request.message(), spans, spanLimit);
    else request.skip();
  }
  return spans;
}

function readResourceSpans(reader: ProtobufReader, spans: Span[], spanLimit: number): void {
  const resource = new Map<string, JsonValue>();
  // A resource may follow its spans.
  const scopes: ProtobufReader[] = [];
  while (reader.next()) {
    if (reader.field === 1) readResource(reader.message(), resource);
    else if (reader.field === 2) scopes.push(reader.message());
    else reader.skip();
  }
  for (const scope of scopes) {
    while (scope.next()) {
      if (scope.field !== 2) {
        scope.skip();
        continue;
      }
      if (spans.length >= spanLimit) throw tooMany('spans', spanLimit);
      spans.push(readSpan(scope.message(), resource));
    }
  }
}

function readResource(reader: ProtobufReader, attributes: Map<string, JsonValue>): void {
  while (reader.next()) {
    if (reader.field === 1) readAttribute(reader.message(), attributes);
    else reader.skip();
  }
}

function readSpan(reader: ProtobufReader, resource: Attributes): Span {
  let traceId = '';
  let spanId = '';
  let parentSpanId = '';
  let name = '';
  let startNano = 0n;
  let endNano = 0n;
  let status = 0;
  let droppedAttributes = 0;
  let droppedEvents = 0;
  const attributes = new Map<string, JsonValue>();
  const events: SpanEvent[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        traceId = reader.bytes().toString('hex');
        break;
      case 2:
        spanId = reader.bytes().toString('hex');
        break;
      case 4:
        parentSpanId = reader.bytes().toString('hex');
        break;
      case 5:
        name = reader.text();
        break;
      case 7:
        startNano = reader.fixed64();
        break;
      case 8:
        endNano = reader.fixed64();
        break;
      case 9:
        readAttribute(reader.message(), attributes);
        break;
      case 10:
        droppedAttributes = reader.uint32();
        break;
      case 11:
        if (events.length >= MAX_EVENTS) throw tooMany('events of a span', MAX_EVENTS);
        events.push(readEvent(reader.message()));
        break;
      case 12:
        droppedEvents = reader.uint32();
        break;
      case 15:
        status = readStatus(reader.message(), status);
        break;
      default:
        reader.skip();
    }
  }
  return {
    traceId,
    spanId,
    parentSpanId: isNoId(parentSpanId) ? null : parentSpanId,
    name,
    startNano,
    endNano,
    attributes,
    droppedAttributes,
    events,
    droppedEvents,
    status: statusOf(status),
    resource,
  };
}

export function isNoId(id: string): boolean {
  return /^0*$/.test(id);
}

function readEvent(reader: ProtobufReader): SpanEvent {
  let name = '';
  let droppedAttributes = 0;
  const attributes = new Map<string, JsonValue>();
  while (reader.next()) {
    if (reader.field === 2) name = reader.text();
    else if (reader.field === 3) readAttribute(reader.message(), attributes);
    else if (reader.field === 4) droppedAttributes = reader.uint32();
    else reader.skip();
  }
  return { name, attributes, droppedAttributes };
}

function readStatus(reader: ProtobufReader, before: number): number {
  let code = before;
  while (reader.next()) {
    if (reader.field === 3) code = reader.uint32();
    else reader.skip();
  }
  return code;
}

function readAttribute(reader: ProtobufReader, attributes: Map<string, JsonValue>): void {
  if (attributes.size >= MAX_ATTRIBUTES) throw tooMany('attributes', MAX_ATTRIBUTES);
  const [key, value] = readKeyValue(reader, 1);
  attributes.set(key, value);
}

function readKeyValue(reader: ProtobufReader, depth: number): [string, Growing] {
  let key = '';
  let value: Growing = null;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text();
    else if (reader.field === 2) value = readAnyValue(reader.message(), depth, value);
    else reader.skip();
  }
  return [key, value];
}

function readAnyValue(reader: ProtobufReader, depth: number, before: Growing): Growing {
  if (depth > MAX_ATTRIBUTE_DEPTH) throw malformed(`attributes: must not be nested deeper than ${MAX_ATTRIBUTE_DEPTH}`);
  let value = before;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        value = reader.text();
        break;
      case 2:
        value = reader.bool();
        break;
      case 3:
        value = integerValue(reader.int64());
        break;
      case 4:
        value = doubleValue(reader.double());
        break;
      case 5:
        value = readArray(reader.message(), depth, Array.isArray(value) ? value : []);
        break;
      case 6:
        value = readKeyValueList(reader.message(), depth, isMembers(value) ? value : {});
        break;
      case 7:
        value = reader.bytes().toString('base64');
        break;
      default:
        reader.skip();
    }
  }
  return value;
}

function readArray(reader: ProtobufReader, depth: number, values: Growing[]): Growing[] {
  while (reader.next()) {
    if (reader.field === 1) values.push(readAnyValue(reader.message(), depth + 1, null));
    else reader.skip();
  }
  return values;
}

function readKeyValueList(reader: ProtobufReader, depth: number, members: Record<string, Growing>): Growing {
  while (reader.next()) {
    if (reader.field === 1) setMember(members, ...readKeyValue(reader.message(), depth + 1));
    else reader.skip();
  }
  return members;
}

function isMembers(value: Growing): value is Record<string, Growing> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
