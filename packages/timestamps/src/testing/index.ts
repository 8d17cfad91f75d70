export { createOpensslTsa, type OpensslTsa, type TsaFlaw } from './openssl-tsa.js';
export { serveTsa, type ServedTsa, type TsaBehaviour } from './serve-tsa.js';
