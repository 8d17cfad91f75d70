// Patterns over the two ends of a message that is too large to be parsed.

/** A JSON text without escapes. */
const TEXT = String.raw`"[^"\\]*"`;
const ID = String.raw`"id"\s*:\s*(${TEXT}|-?\d{1,15})`;
/** A member whose value is neither an object nor an array. */
const FLAT = String.raw`\s*${TEXT}\s*:\s*(?:${TEXT}|-?\d+|true|false|null)\s*`;

/** From the first brace, or back from the last one, over flat members only: so the object is that of the message. */
const AT_START = new RegExp(String.raw`^\s*\{(?:${FLAT},)*?\s*${ID}\s*[,}]`);
const AT_END = new RegExp(String.raw`,\s*${ID}\s*(?:,${FLAT})*\}\s*$`);

/**
 * The `id` of a JSON-RPC message of which only both ends are known; null where neither has it.
 * @see https://www.jsonrpc.org/specification#request_object
 */
export function messageId([start, end]: readonly [start: Uint8Array, end: Uint8Array]): unknown {
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const id = AT_START.exec(text(start))?.[1] ?? AT_END.exec(text(end))?.[1];
  return id === undefined ? null : JSON.parse(id);
}
