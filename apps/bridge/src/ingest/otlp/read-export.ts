import {
  codingOf,
  collectBody,
  ServiceError,
  unpackBody,
  validationError,
  type ServiceRequest,
  type Reservation,
} from '@cer/http-service';
import { OtlpError, type Span } from './spans/span.js';
import { PROTOBUF } from './wire/answer.js';
import { decodeJson } from './wire/decode-json.js';
import { decodeProtobuf } from './wire/decode-protobuf.js';

/** An export request as it was received. */
export interface SentExport extends Pick<ServiceRequest, 'headers'> {
  readonly body: Buffer;
}

export interface ExportLimits {
  /** Maximum size of an unpacked request, in bytes. */
  readonly otlpUnpackedLimitBytes: number;
  readonly otlpSpanLimit: number;
}

/** The encoding of a request, and of its answer. */
export function formOf({ headers }: Pick<ServiceRequest, 'headers'>): 'protobuf' | 'json' {
  return headers['content-type']?.toLowerCase().startsWith(PROTOBUF) === true ? 'protobuf' : 'json';
}

/**
 * The spans of an export request, unpacked and decoded within its limits.
 * @param reservation also counts the unpacked bytes
 * @throws ServiceError VALIDATION_ERROR, PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE without room
 */
export async function readExport(
  request: SentExport,
  limits: ExportLimits,
  reservation: Reservation,
): Promise<readonly Span[]> {
  const bytes = await unpacked(request, limits.otlpUnpackedLimitBytes);
  reservation.take(Math.max(0, bytes.length - request.body.length));
  try {
    return formOf(request) === 'protobuf'
      ? decodeProtobuf(bytes, limits.otlpSpanLimit)
      : decodeJson(bytes, limits.otlpSpanLimit);
  } catch (error) {
    if (!(error instanceof OtlpError)) throw error;
    if (error.kind === 'malformed') throw validationError([error.message]);
    throw new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: error.message });
  }
}

async function unpacked({ headers, body }: SentExport, limitBytes: number): Promise<Buffer> {
  if (codingOf(headers) !== 'gzip') return body;
  const { buffer, byteOffset, length } = await collectBody(unpackBody([body], limitBytes));
  return Buffer.from(buffer, byteOffset, length);
}
