/** The content of a buffer: floats of a width in bytes, or integers of any width. */
export type Contents = 4 | 8 | 'integers';

// As they are before the sketch, which may replace them; the pinned constructors are slower as well.
const [Floats32, Floats64, Words] = [Float32Array, Float64Array, Uint32Array];
const { ceil, floor } = Math;
const { apply, get, getOwnPropertyDescriptor } = Reflect;
const byteLengthOf = get(getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength') ?? {}, 'get') as () => number;

/** Makes the NaNs canonical from one byte to the byte before another; floats that they cut are whole floats. */
export type SettleNaNs = (fromByte: number, toByte: number) => void;

/**
 * Writes every NaN among floats as the one that the language writes in a constant. Processors give NaN a sign and a
 * payload, and compilers exchange operands: the bits of a NaN that a sketch calculated are not the same everywhere.
 * @param buffer of a fixed size
 */
export function nanSettler(buffer: ArrayBuffer, width: 4 | 8): SettleNaNs {
  const byteLength = apply<ArrayBuffer, [], number>(byteLengthOf, buffer, []);
  const words = new Words(buffer, 0, floor(byteLength / 4));
  const floats = width === 4 ? new Floats32(buffer, 0, words.length) : new Floats64(buffer, 0, floor(words.length / 2));
  const { length } = floats;
  return (fromByte, toByte) => {
    const to = ceil(toByte / width);
    const end = to < length ? to : length;
    for (let i = floor(fromByte / width); i < end; i++) {
      const value = floats[i];
      if (value === value) continue;
      if (width === 4) words[i] = 0x7fc0_0000;
      else {
        words[2 * i] = 0;
        words[2 * i + 1] = 0x7ff8_0000;
      }
    }
  };
}
