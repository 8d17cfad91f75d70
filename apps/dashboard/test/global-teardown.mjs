import { leaveServiceBundles } from '../../../scripts/test/service-bundles.mjs';
import { leavePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';

export default async function leave() {
  await leaveServiceBundles();
  await leavePostgresServer();
}
