import { ServiceError } from '@cer/http-service';

const NEWLINE = 0x0a;

/** One line of NDJSON; `tooLong` lines are skipped and have no bytes. */
export type NdjsonLine = { readonly bytes: Uint8Array } | { readonly tooLong: true };

/**
 * Splits a stream into lines as it arrives. Empty lines (a trailing newline, a keep-alive) are skipped.
 * @param maxLineBytes a longer line is reported, never buffered whole
 * @throws the error of the source: PAYLOAD_TOO_LARGE past its limit, ClientGone when the connection is lost
 */
export async function* ndjsonLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<NdjsonLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array): void => {
    size += part.length;
    if (size <= maxLineBytes) parts.push(part);
    else parts = [];
  };
  const finish = (): NdjsonLine | null => {
    const line = size > maxLineBytes ? { tooLong: true as const } : { bytes: Buffer.concat(parts, size) };
    parts = [];
    size = 0;
    return 'bytes' in line && isBlank(line.bytes) ? null : line;
  };

  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      const line = finish();
      if (line !== null) yield line;
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  const last = finish();
  if (last !== null) yield last;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

export function lineTooLong(maxLineBytes: number): ServiceError {
  return new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message: `line: must have at most ${maxLineBytes} bytes` });
}
