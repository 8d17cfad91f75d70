import { usePkcs11Token } from '../../../scripts/test/pkcs11-token.mjs';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

export default async function setup() {
  await usePkcs11Token();
  await usePostgresServer();
}
