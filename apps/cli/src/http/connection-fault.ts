import { faultCode } from '../files/fault-code.js';

const NO_TLS = 'it speaks no TLS, so its address begins with http://';

/** Codes of faults before a request is sent. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nothing listens there'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  // OpenSSL's versions name it differently.
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'name the file of its authority in NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'name the file of its authority in NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'name the file of its authority in NODE_EXTRA_CA_CERTS'],
]);

/** Whether a failed `fetch` made no connection, so that the other side received nothing. */
export function isUnsent(error: unknown): boolean {
  return MEANINGS.has(codeOf(error) ?? '');
}

/** The code of a failed `fetch` and what it means, in brackets behind a space; empty without a code. */
export function connectionFault(error: unknown): string {
  const code = codeOf(error);
  if (code === null) return '';
  const meaning = MEANINGS.get(code);
  return ` (${code}${meaning === undefined ? '' : `: ${meaning}`})`;
}

function codeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'cause' in error ? faultCode(error.cause) : null;
}
