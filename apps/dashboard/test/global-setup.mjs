import { useServiceBundles } from '../../../scripts/test/service-bundles.mjs';
import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

export default async function setUp() {
  await usePostgresServer();
  await useServiceBundles();
}
