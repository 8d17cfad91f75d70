/**
 * The used part of a stream's reader: the platform's own type differs between Node's and the browser's declarations.
 */
interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * Reads the body of an answer while it arrives, unpacked if it was packed.
 * @param maxBytes a longer body is abandoned
 * @returns null for a longer one
 */
export async function readBody(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const reader: Reader | undefined = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) return Buffer.concat(chunks, length);
    length += chunk.length;
    if (length > maxBytes) {
      await reader?.cancel();
      return null;
    }
    chunks.push(chunk);
  }
}
