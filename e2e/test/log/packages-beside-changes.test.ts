import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LoggedOperator } from './logged-operator.js';

// Packages of an honest node whose records change between two epochs, or while the package is written.

const HOUR_MS = 3_600_000;
const operator = new LoggedOperator();

beforeAll(() => operator.open());
afterAll(() => operator.close());

async function endEpoch(): Promise<void> {
  operator.aheadMs += HOUR_MS;
  await operator.integrate();
}

it('proves the records of the snapshot, however late it ends', async () => {
  const account = await operator.account();
  await operator.node.certify({}, account.key);
  await endEpoch();
  const { recordList } = operator.node.node.store;
  const all = recordList.all.bind(recordList);
  recordList.all = async function* (...asked) {
    recordList.all = all;
    yield* all(...asked);
    await operator.node.certify({}, account.key);
    await endEpoch();
  };
  const report = await operator.package(account);
  expect(report).toMatchObject({ status: 'VERIFIED', findings: [], log: { status: 'proven', numbers: [1, 1] } });
  expect(await operator.package(account)).toMatchObject({ log: { status: 'proven', numbers: [1, 2] } });
});
