import { usePkcs11Token } from '../../../scripts/test/pkcs11-token.mjs';
import { prepareOlderBrowser, prepareRenderer } from '../../../scripts/test/renderer-setup.mjs';
import { useServiceBundles } from '../../../scripts/test/service-bundles.mjs';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

export default async function setup() {
  await usePkcs11Token();
  await usePostgresServer();
  await useServiceBundles();
  await prepareRenderer();
  await prepareOlderBrowser();
}
