/** Ed25519 keys on hardware tokens, through PKCS#11. Node only. */
export type { TokenAddress } from './messages.js';
export { Pkcs11Error, type Pkcs11ErrorCode } from './pkcs11-error.js';
export { connectToken, type Token } from './token.js';
export type { ConnectionOptions } from './token-connection.js';
