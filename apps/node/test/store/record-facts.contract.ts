import { randomUUID } from 'node:crypto';

import { expect, it } from '@jest/globals';

import { silentLogger } from '@cer/http-service/process';

import { startDescribing } from '../../src/records/describe-records.js';
import type { Store } from '../../src/store/index.js';
import { newRecord } from './new-record.js';

/** Contract of the rows of earlier releases. @param asEarlier makes the tenant's rows those of an earlier release */
export function recordFactsContract(storeOf: () => Store, asEarlier: (tenantId: string) => Promise<void>): void {
  it('describes rows of an earlier release in the background', async () => {
    const store = storeOf();
    const tenantId = `earlier-${randomUUID()}`;
    const bundle = { snapshot: { provider: 'example', model: 'first' } };
    const rows = [
      newRecord({ tenantId, bundleJson: JSON.stringify(bundle) }),
      newRecord({ tenantId, bundleJson: null, publicCerJson: JSON.stringify(bundle) }),
      newRecord({ tenantId, bundleJson: '{"snapshot":null}' }),
    ];
    for (const row of rows) await store.records.recordOnce(row);
    await asEarlier(tenantId);
    const found = () => store.recordList.page({ tenantId, provider: 'example', model: 'first' }, 'oldest', null, 10);
    expect(await found()).toEqual([]);
    expect(await store.recordList.isUndescribed()).toBe(true);
    let isDone = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      isDone = resolve;
    });
    const recordFacts = {
      describe: (...records: Parameters<Store['recordFacts']['describe']>) => store.recordFacts.describe(...records),
      undescribed: async () => {
        const left = await store.recordFacts.undescribed();
        if (left.length === 0) isDone();
        return left;
      },
    };
    const worker = startDescribing({ store: { ...store, recordFacts }, logger: silentLogger() });
    await done;
    await worker.stop();
    expect((await found()).map(({ certificateHash }) => certificateHash).toSorted()).toEqual(
      rows
        .slice(0, 2)
        .map(({ certificateHash }) => certificateHash)
        .toSorted(),
    );
    expect(await store.recordList.isUndescribed()).toBe(false);
  });
}
