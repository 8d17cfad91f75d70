import { usePkcs11Token } from '../../../scripts/test/pkcs11-token.mjs';
import { prepareOlderBrowser, prepareRenderer } from '../../../scripts/test/renderer-setup.mjs';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';
import useBuild from '../../../scripts/test/use-build.mjs';

export default async function setup() {
  await usePkcs11Token();
  await usePostgresServer();
  await useBuild();
  await prepareRenderer();
  await prepareOlderBrowser();
}
