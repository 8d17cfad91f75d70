export function bytesOf(base64url) {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (unit) => unit.charCodeAt(0));
}
