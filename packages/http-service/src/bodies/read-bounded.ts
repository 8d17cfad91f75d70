/**
 * Reads a body while it arrives.
 * @param maxBytes a longer body is abandoned, which ends its request
 * @returns null for a longer one
 */
export async function readBounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}
