const SLICE_BYTES = 0x8000;

/** Base64 with padding; by the engine's own function where it has one. */
export function toBase64(bytes: Uint8Array): string {
  const native = (bytes as Uint8Array & { toBase64?: () => string }).toBase64;
  if (native !== undefined) return Reflect.apply(native, bytes, []);
  let binary = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return btoa(binary);
}
