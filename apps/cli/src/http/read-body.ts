/**
 * Reads the body of an answer while it arrives, unpacked if it was packed.
 * @param maxBytes a longer body is abandoned
 * @returns null for a longer one
 */
export async function readBody(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const body: AsyncIterable<Uint8Array> | null = response.body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
