import { ByteParts } from './byte-parts.js';

/**
 * Reads a body while it arrives.
 * @param maxBytes a longer body is abandoned, which ends its request
 * @param onBytes called with the size of each part before it is stored; its error abandons the body
 * @returns null for a longer one
 */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts = new ByteParts();
  for await (const part of body ?? []) {
    if (parts.size + part.length > maxBytes) return null;
    onBytes?.(part.length);
    parts.add(part);
  }
  return parts.joined();
}
