export { usePkcs11Token as default } from '../../../scripts/test/pkcs11-token.mjs';
