import {
  isJsonArray,
  isJsonObject,
  JsonError,
  member,
  parseJson,
  withLongIntegersAsText,
  type JsonObject,
  type JsonValue,
} from '@cer/canonical-json';
import { hasFewPieces, MAX_PIECES } from '../../json-pieces.js';
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
} from '../spans/span.js';
import { isNoId } from './decode-protobuf.js';

/** One level of a nested attribute value takes three levels of JSON. */
const MAX_JSON_DEPTH = 3 * MAX_ATTRIBUTE_DEPTH + 16;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * Reads an ExportTraceServiceRequest in OTLP's JSON form: ids in hex, 64-bit numbers as decimal text or as numbers.
 * @throws OtlpError for text that is none, and past the limits
 */
export function decodeJson(bytes: Buffer, spanLimit: number): readonly Span[] {
  const spans: Span[] = [];
  for (const resourceSpans of objects(parsed(bytes), 'resourceSpans')) {
    const resource = attributesOf(objectMember(resourceSpans, 'resource'));
    for (const scopeSpans of objects(resourceSpans, 'scopeSpans')) {
      for (const span of objects(scopeSpans, 'spans')) {
        if (spans.length >= spanLimit) throw tooMany('spans', spanLimit);
        spans.push(readSpan(span, resource));
      }
    }
  }
  return spans;
}

function parsed(bytes: Buffer): JsonObject {
  if (!hasFewPieces(bytes)) throw tooMany('objects, lists and members of an export', MAX_PIECES);
  try {
    const value = valueIn(bytes);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (error instanceof JsonError) throw malformed(error.message);
    throw error;
  }
  throw malformed('body: must be an object');
}

/** Strict JSON, in which 64-bit numbers may have more digits than a double holds. Few senders write them so. */
function valueIn(bytes: Buffer): JsonValue {
  try {
    return parseJson(bytes, { maxDepth: MAX_JSON_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonError) || error.code !== 'JSON_NOT_STRICT') throw error;
    const text = withLongIntegersAsText(bytes.toString('latin1'));
    return parseJson(Buffer.from(text, 'latin1'), { maxDepth: MAX_JSON_DEPTH });
  }
}

function readSpan(span: JsonObject, resource: Attributes): Span {
  const parentSpanId = hexId(span, 'parentSpanId');
  const events = objects(span, 'events');
  if (events.length > MAX_EVENTS) throw tooMany('events of a span', MAX_EVENTS);
  const code = member(objectMember(span, 'status'), 'code');
  return {
    traceId: hexId(span, 'traceId'),
    spanId: hexId(span, 'spanId'),
    parentSpanId: isNoId(parentSpanId) ? null : parentSpanId,
    name: textOf(span, 'name'),
    startNano: nanos(span, 'startTimeUnixNano'),
    endNano: nanos(span, 'endTimeUnixNano'),
    attributes: attributesOf(span),
    droppedAttributes: count(span, 'droppedAttributesCount'),
    events: events.map((event) => ({
      name: textOf(event, 'name'),
      attributes: attributesOf(event),
      droppedAttributes: count(event, 'droppedAttributesCount'),
    })),
    droppedEvents: count(span, 'droppedEventsCount'),
    status: statusOf(code === 'STATUS_CODE_OK' ? 1 : code === 'STATUS_CODE_ERROR' ? 2 : Number(code ?? 0)),
    resource,
  };
}

function attributesOf(holder: JsonObject): Attributes {
  const list = objects(holder, 'attributes');
  if (list.length > MAX_ATTRIBUTES) throw tooMany('attributes', MAX_ATTRIBUTES);
  return new Map(list.map((pair) => [textOf(pair, 'key'), anyValue(member(pair, 'value'), 1)]));
}

function anyValue(value: JsonValue | undefined, depth: number): JsonValue {
  if (depth > MAX_ATTRIBUTE_DEPTH) throw malformed(`attributes: must not be nested deeper than ${MAX_ATTRIBUTE_DEPTH}`);
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) throw malformed('attributes: a value must be an object');
  const [kind] = Object.keys(value);
  const held = kind === undefined ? undefined : member(value, kind);
  switch (kind) {
    case 'stringValue':
      return textOf(value, kind);
    case 'boolValue':
      return held === true;
    case 'intValue':
      return integerValue(integer(held));
    case 'doubleValue':
      return doubleValue(typeof held === 'string' ? Number(held) : typeof held === 'number' ? held : Number.NaN);
    case 'bytesValue':
      return textOf(value, kind);
    case 'arrayValue':
      return objectsOrNulls(objectMember(value, kind), 'values').map((element) => anyValue(element, depth + 1));
    case 'kvlistValue':
      return Object.fromEntries(
        objects(objectMember(value, kind), 'values').map((pair) => [
          textOf(pair, 'key'),
          anyValue(member(pair, 'value'), depth + 1),
        ]),
      );
    case undefined:
    default:
      return null;
  }
}

function integer(value: JsonValue | undefined): bigint {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw malformed('attributes: intValue must be a whole number');
}

function nanos(span: JsonObject, name: string): bigint {
  const value = member(span, name) ?? 0;
  const isWhole =
    (typeof value === 'number' && Number.isInteger(value)) || (typeof value === 'string' && /^\d{1,20}$/.test(value));
  const nano = isWhole ? BigInt(value) : -1n;
  if (nano < 0n || nano > MAX_UINT64) throw malformed(`${name}: must be nanoseconds since 1970`);
  return nano;
}

/** A 32-bit number, as a number or as decimal text. */
function count(holder: JsonObject, name: string): number {
  const value = member(holder, name) ?? 0;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0) {
    throw malformed(`${name}: must be a whole number from 0`);
  }
  return number;
}

function hexId(span: JsonObject, name: string): string {
  return textOf(span, name).toLowerCase();
}

function textOf(holder: JsonObject, name: string): string {
  const value = member(holder, name) ?? '';
  if (typeof value !== 'string') throw malformed(`${name}: must be a string`);
  return value;
}

function objectMember(holder: JsonObject, name: string): JsonObject {
  const value = member(holder, name) ?? {};
  if (!isJsonObject(value)) throw malformed(`${name}: must be an object`);
  return value;
}

function objectsOrNulls(holder: JsonObject, name: string): readonly (JsonValue | undefined)[] {
  const value = member(holder, name) ?? [];
  if (!isJsonArray(value)) throw malformed(`${name}: must be a list`);
  return value;
}

function objects(holder: JsonObject, name: string): readonly JsonObject[] {
  return objectsOrNulls(holder, name).map((element) => {
    if (!isJsonObject(element)) throw malformed(`${name}: must be a list of objects`);
    return element;
  });
}
