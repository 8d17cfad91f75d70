import type { ServiceResponse } from '@cer/http-service';

export const PROTOBUF = 'application/x-protobuf';
export const OTLP_JSON = 'application/json';

const MAX_MESSAGE_BYTES = 4096;

/** A partial success of OTLP: how many spans were refused, and why. */
export interface PartialSuccess {
  readonly rejectedSpans: number;
  /** Empty when there is nothing to say. */
  readonly errorMessage: string;
}

/** An ExportTraceServiceResponse in the form the request had; an empty one when everything was taken. */
export function exportAnswer(form: 'protobuf' | 'json', partial: PartialSuccess): ServiceResponse {
  const isWhole = partial.rejectedSpans === 0 && partial.errorMessage === '';
  if (form === 'protobuf') {
    const body = isWhole ? new Uint8Array(0) : encodePartialSuccess(partial);
    return { status: 200, headers: { 'content-type': PROTOBUF }, body };
  }
  const { rejectedSpans, errorMessage } = partial;
  const body = isWhole ? {} : { partialSuccess: { rejectedSpans: String(rejectedSpans), errorMessage } };
  return { status: 200, headers: { 'content-type': OTLP_JSON }, body: JSON.stringify(body) };
}

/** Field 1 of the response, holding fields 1 (rejected_spans, varint) and 2 (error_message, text). */
function encodePartialSuccess({ rejectedSpans, errorMessage }: PartialSuccess): Uint8Array {
  const text = upTo(MAX_MESSAGE_BYTES, errorMessage);
  const inner = Buffer.concat([
    Buffer.from([0x08]),
    varint(rejectedSpans),
    Buffer.from([0x12]),
    varint(text.length),
    text,
  ]);
  return Buffer.concat([Buffer.from([0x0a]), varint(inner.length), inner]);
}

/** The first whole characters of a text: decoders refuse a message whose text is not UTF-8. */
function upTo(bytes: number, text: string): Uint8Array {
  const room = new Uint8Array(bytes);
  return room.subarray(0, new TextEncoder().encodeInto(text, room).written);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}
