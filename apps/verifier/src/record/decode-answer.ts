/** The text of an answer of the node. @throws TypeError when it is not UTF-8 */
export function decodeAnswer(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
