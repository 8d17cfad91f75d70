import protobuf from 'protobufjs';

// The messages of OTLP's trace export for protobufjs: what a member is called, its field number and its type.
// Numbers are those of OTLP 1.x; members that the bridge does not read are in a separate list.

type Members = Readonly<Record<string, readonly [id: number, type: string]>>;

interface Message {
  readonly read: Members;
  readonly unread?: Members;
  readonly repeated?: readonly string[];
  readonly oneof?: string;
}

const MESSAGES: Readonly<Record<string, Message>> = {
  Request: { read: { resourceSpans: [1, 'ResourceSpans'] }, repeated: ['resourceSpans'] },
  ResourceSpans: {
    read: { resource: [1, 'Resource'], scopeSpans: [2, 'ScopeSpans'] },
    unread: { schemaUrl: [3, 'string'] },
    repeated: ['scopeSpans'],
  },
  Resource: {
    read: { attributes: [1, 'KeyValue'] },
    unread: { droppedAttributesCount: [2, 'uint32'] },
    repeated: ['attributes'],
  },
  ScopeSpans: {
    read: { spans: [2, 'Span'] },
    unread: { scope: [1, 'Scope'], schemaUrl: [3, 'string'] },
    repeated: ['spans'],
  },
  Scope: {
    read: {},
    unread: {
      name: [1, 'string'],
      version: [2, 'string'],
      attributes: [3, 'KeyValue'],
      droppedAttributesCount: [4, 'uint32'],
    },
    repeated: ['attributes'],
  },
  Span: {
    read: {
      traceId: [1, 'bytes'],
      spanId: [2, 'bytes'],
      parentSpanId: [4, 'bytes'],
      name: [5, 'string'],
      startTimeUnixNano: [7, 'fixed64'],
      endTimeUnixNano: [8, 'fixed64'],
      attributes: [9, 'KeyValue'],
      droppedAttributesCount: [10, 'uint32'],
      events: [11, 'Event'],
      droppedEventsCount: [12, 'uint32'],
      status: [15, 'Status'],
    },
    unread: {
      traceState: [3, 'string'],
      kind: [6, 'int32'],
      links: [13, 'Link'],
      droppedLinksCount: [14, 'uint32'],
      flags: [16, 'fixed32'],
    },
    repeated: ['attributes', 'events', 'links'],
  },
  Event: {
    read: { name: [2, 'string'], attributes: [3, 'KeyValue'], droppedAttributesCount: [4, 'uint32'] },
    unread: { timeUnixNano: [1, 'fixed64'] },
    repeated: ['attributes'],
  },
  Link: {
    read: {},
    unread: {
      traceId: [1, 'bytes'],
      spanId: [2, 'bytes'],
      traceState: [3, 'string'],
      attributes: [4, 'KeyValue'],
      droppedAttributesCount: [5, 'uint32'],
      flags: [6, 'fixed32'],
    },
    repeated: ['attributes'],
  },
  Status: { read: { code: [3, 'int32'] }, unread: { message: [2, 'string'] } },
  KeyValue: { read: { key: [1, 'string'], value: [2, 'AnyValue'] } },
  AnyValue: {
    read: {
      stringValue: [1, 'string'],
      boolValue: [2, 'bool'],
      intValue: [3, 'int64'],
      doubleValue: [4, 'double'],
      arrayValue: [5, 'Values'],
      kvlistValue: [6, 'KeyValues'],
      bytesValue: [7, 'bytes'],
    },
    oneof: 'value',
  },
  Values: { read: { values: [1, 'AnyValue'] }, repeated: ['values'] },
  KeyValues: { read: { values: [1, 'KeyValue'] }, repeated: ['values'] },
};

/** The request's type with every member, or with those alone that the bridge reads: the others are unknown fields. */
export function requestType(members: 'all' | 'read'): protobuf.Type {
  const nested = Object.entries(MESSAGES).map(([name, message]) => [name, typeOf(message, members)] as const);
  // The edition, which the declarations of protobufjs leave out, makes text that is not UTF-8 a fault.
  const schema = { edition: 'proto3', nested: Object.fromEntries(nested) };
  return protobuf.Root.fromJSON(schema).lookupType('Request');
}

function typeOf({ read, unread, repeated, oneof }: Message, members: 'all' | 'read'): protobuf.IType {
  const rows = Object.entries(members === 'all' ? { ...read, ...unread } : read);
  const fields = rows.map(([member, [id, type]]) => {
    return [member, repeated?.includes(member) === true ? { id, type, rule: 'repeated' } : { id, type }] as const;
  });
  return {
    fields: Object.fromEntries(fields),
    ...(oneof !== undefined && { oneofs: { [oneof]: { oneof: rows.map(([member]) => member) } } }),
  };
}
