export default async function teardown() {
  await globalThis.testPostgresServer?.stop();
}
