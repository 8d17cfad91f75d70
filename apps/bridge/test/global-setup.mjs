import { usePostgresServer } from '../../../scripts/test/shared-postgres-server.mjs';
import useBuild from '../../../scripts/test/use-build.mjs';

export default async function setUp() {
  await usePostgresServer();
  await useBuild();
}
