/** The content of a buffer: floats of a width in bytes, or integers of any width. */
export type Contents = 4 | 8 | 'integers';

/**
 * Writes every NaN among floats as the one that the language writes in a constant. Processors give NaN a sign and a
 * payload, and compilers exchange operands: the bits of a NaN that a sketch calculated are not the same everywhere.
 * @param from first byte, and `to` the byte after the last; floats that they cut are whole floats
 */
export function canonicalizeNaNs(buffer: ArrayBuffer, width: 4 | 8, from = 0, to = buffer.byteLength): void {
  const first = Math.floor(from / width);
  const end = Math.min(Math.ceil(to / width), Math.floor(buffer.byteLength / width));
  if (end <= first) return;
  const floats = width === 4 ? new Float32Array(buffer, 0, end) : new Float64Array(buffer, 0, end);
  const words = new Uint32Array(buffer, 0, (end * width) / 4);
  for (let i = first; i < end; i++) {
    const value = floats[i];
    if (value === value) continue;
    if (width === 4) words[i] = 0x7fc0_0000;
    else {
      words[2 * i] = 0;
      words[2 * i + 1] = 0x7ff8_0000;
    }
  }
}
