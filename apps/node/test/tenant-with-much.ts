import { randomUUID } from 'node:crypto';

import { newRecord } from './store/new-record.js';
import type { TestNode } from './test-node.js';

export const MUCH = 400;

/**
 * A tenant with 400 records: they exceed all buffers between node and client, because their content does not compress.
 * @returns a key of the tenant
 */
export async function tenantWithMuch(node: TestNode, tenant: string): Promise<string> {
  const key = await node.newKey(tenant);
  const { tenantId } = await node.store.tenants.createTenant(tenant);
  await Promise.all(
    Array.from({ length: MUCH }, () => {
      const filler = Array.from({ length: 1200 }, () => randomUUID()).join('');
      const metaJson = JSON.stringify({ attestation: { receipt: {}, signature: 's', kid: 'k' } });
      return node.store.records.recordOnce(newRecord({ tenantId, bundleJson: JSON.stringify({ filler }), metaJson }));
    }),
  );
  return key;
}
