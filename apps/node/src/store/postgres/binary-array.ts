/** Types of elements, as PostgreSQL numbers them. */
const [BYTEA, TEXT] = [17, 25];
/** Dimensions, whether a null is among the elements, their type; the length of the dimension and its lower bound. */
const HEAD_BYTES = 5 * 4;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/**
 * An array parameter in PostgreSQL's binary form, which neither side quotes or parses.
 * @returns for a parameter of type `text[]`
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  return arrayOf(TEXT, lengths, (array, at, index) => array.write(values[index] ?? '', at));
}

/** @returns for a parameter of type `bytea[]` */
export function bytesArray(values: readonly Uint8Array[]): Buffer {
  const lengths = values.map(({ length }) => length);
  return arrayOf(BYTEA, lengths, (array, at, index) => {
    array.set(values[index] ?? [], at);
  });
}

function arrayOf(
  type: number,
  lengths: readonly number[],
  write: (array: Buffer, at: number, index: number) => void,
): Buffer {
  const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), HEAD_BYTES);
  const array = Buffer.allocUnsafe(bytes);
  const hasNull = lengths.includes(NULL_LENGTH) ? 1 : 0;
  let at = 0;
  for (const number of [1, hasNull, type, lengths.length, 1]) at = array.writeInt32BE(number, at);
  for (const [index, length] of lengths.entries()) {
    at = array.writeInt32BE(length, at);
    if (length === NULL_LENGTH) continue;
    write(array, at, index);
    at += length;
  }
  return array;
}
