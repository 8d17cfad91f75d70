import { getHeapStatistics } from 'node:v8';
import { resourceLimits } from 'node:worker_threads';
import { ServiceError } from '@cer/http-service';

const MIB = 1024 * 1024;
/** The size of one of the three spaces for young objects in apps/node/launch.env: V8 tells a thread the default only. */
const SPACE_MIB = /--max[-_]semi[-_]space[-_]size=(\d+)/;

/**
 * Bytes of memory that JSON takes at most while it is parsed, by the bytes of its text. Text and strings are copied once,
 * with two bytes per character where a character is not ASCII; the marks stand for the smallest values. Marks within
 * strings count too.
 */
const BYTES_OF_ASCII = 2;
const BYTES_OF_TEXT = 4;
const BYTES_OF_MARKS = new Uint8Array(128);
for (const [mark, bytes] of Object.entries({ '[': 64, '{': 96, ':': 128, ',': 24 })) {
  BYTES_OF_MARKS[mark.charCodeAt(0)] = bytes;
}

/** Bytes of memory for values that last: V8's limit includes young objects, 48 to 192 MiB by its version. */
export function roomInThread(): number {
  const spaceMib = SPACE_MIB.exec(process.env['NODE_OPTIONS'] ?? '')?.[1];
  const youngMib = spaceMib === undefined ? (resourceLimits.maxYoungGenerationSizeMb ?? 0) : 3 * Number(spaceMib);
  return getHeapStatistics().heap_size_limit - youngMib * MIB;
}

/**
 * Work that outgrows its thread is ended, but JSON.parse is not: it takes what it needs, beyond every limit.
 * @param room maximum bytes of memory for it
 * @throws ServiceError PAYLOAD_TOO_LARGE for JSON that might not fit
 */
export function assertJsonFits(text: Uint8Array, room: number): void {
  let ofMarks = 0;
  let allBits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    allBits |= byte;
    ofMarks += BYTES_OF_MARKS[byte] ?? 0;
  }
  const ofText = text.length * (allBits < 128 ? BYTES_OF_ASCII : BYTES_OF_TEXT);
  if (ofText + ofMarks <= room) return;
  const message = 'body: its JSON may take more memory than this node has for one body: send fewer values';
  throw new ServiceError({ code: 'PAYLOAD_TOO_LARGE', message });
}
