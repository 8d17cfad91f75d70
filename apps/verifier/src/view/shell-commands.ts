import type { HandCheck } from '../check/check-result.js';

/** One word for a POSIX shell, whatever the text holds. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Standard base64 with padding, as `base64 -d` reads it. */
function padded(base64Url: string): string {
  const text = base64Url.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Shell lines that check this very hash with nothing but `sha256sum`. */
export function hashCommand(text: string): string {
  return `printf '%s' ${shellWord(text)} | sha256sum`;
}

/** Shell lines that check this very signature with nothing but OpenSSL. */
export function signatureCommands(receipt: NonNullable<HandCheck['receipt']>): string {
  return [
    `printf '%s' ${shellWord(receipt.text)} > receipt.json`,
    `printf '%s' ${shellWord(padded(receipt.signature))} | base64 -d > receipt.sig`,
    `printf '%s' ${shellWord(receipt.publicKey ?? '')} | base64 -d > node-key.der`,
    'openssl dgst -sha256 node-key.der',
    'openssl pkeyutl -verify -pubin -keyform DER -inkey node-key.der -rawin -in receipt.json -sigfile receipt.sig',
  ].join('\n');
}
