/** Whether bytes are UTF-16: by their byte order mark, or because they begin with two ASCII characters of two bytes each. */
export function isUtf16([first, second, third, fourth]: Uint8Array): boolean {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return false;
  const isWide = (high: number, low: number): boolean => high === 0 && low !== 0;
  return (isWide(first, second) && isWide(third, fourth)) || (isWide(second, first) && isWide(fourth, third));
}
