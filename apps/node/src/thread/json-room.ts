import { ServiceError } from '@cer/http-service';

/**
 * Bytes of memory that JSON takes at most while it is parsed, by the bytes of its text: text and strings may have two
 * bytes per character and are copied once; the rest is what the smallest values take. Marks within strings count too.
 */
const BYTES_OF_TEXT = 4;
const BYTES_OF_MARKS = { '[': 64, '{': 96, ':': 128, ',': 24 } as const;

const BYTES = new Uint8Array(256).fill(BYTES_OF_TEXT);
for (const [mark, bytes] of Object.entries(BYTES_OF_MARKS)) BYTES[mark.charCodeAt(0)] = BYTES_OF_TEXT + bytes;

/**
 * Work that outgrows its thread is ended, but JSON.parse is not: it takes what it needs, beyond every limit.
 * @param heapBytes maximum memory of the thread
 * @throws ServiceError PAYLOAD_TOO_LARGE for JSON that might not fit
 */
export function assertJsonFits(text: Uint8Array, heapBytes: number): void {
  let left = heapBytes;
  for (let at = 0; at < text.length; at += 1) left -= BYTES[text[at] ?? 0] ?? 0;
  if (left >= 0) return;
  const message = 'body: its JSON may take more memory than this node has for one body: send fewer values';
  throw new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message });
}
