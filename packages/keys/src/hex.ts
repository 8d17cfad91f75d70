const BYTE_AS_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Bytes to lower-case hex, two digits per byte. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += BYTE_AS_HEX[byte] ?? '';
  return text;
}

/** The bytes of hex digits, two per byte; the text is not validated. */
export function decodeHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}
