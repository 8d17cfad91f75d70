import type { JsonObject, JsonValue } from '@cer/canonical-json';

/** Maps the bytes of a JSON text to members: their names or their values. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** `name:meta.attestation.kid` or `value:meta.attestation.kid`; `structure:` for brackets, commas and colons. */
  readonly what: string;
}

/** Writes compact JSON and returns for each byte the part it belongs to. */
export function spell(value: JsonObject): { readonly bytes: Uint8Array; readonly spans: readonly Span[] } {
  const chunks: string[] = [];
  const spans: Span[] = [];
  let length = 0;
  const put = (text: string, what: string): void => {
    const size = Buffer.byteLength(text);
    chunks.push(text);
    spans.push({ start: length, end: length + size, what });
    length += size;
  };
  const write = (inner: JsonValue, path: string): void => {
    if (typeof inner !== 'object' || inner === null) {
      put(JSON.stringify(inner), `value:${path}`);
      return;
    }
    const isArray = Array.isArray(inner);
    put(isArray ? '[' : '{', `structure:${path}`);
    Object.entries(inner).forEach(([name, member], index) => {
      const below = path === '' ? name : `${path}.${name}`;
      if (index > 0) put(',', `structure:${path}`);
      if (!isArray) {
        put(JSON.stringify(name), `name:${below}`);
        put(':', `structure:${below}`);
      }
      write(member as JsonValue, below);
    });
    put(isArray ? ']' : '}', `structure:${path}`);
  };
  write(value, '');
  return { bytes: Buffer.from(chunks.join('')), spans };
}
