import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOpensslTsa, serveTsa, type OpensslTsa, type ServedTsa } from '@cer/timestamps/testing';
import { postgresTestDatabase, sqliteTestDatabase } from '@cer/sql-store/testing';

import { timestamped, timestampingNode } from './timestamping-node.js';

const RECORDS = 24;

describe('two nodes on one database', () => {
  let tsa: OpensslTsa;
  let served: ServedTsa;

  beforeAll(async () => {
    tsa = createOpensslTsa();
    served = await serveTsa((query) => tsa.reply(query));
  });
  afterAll(async () => {
    await served.close();
    tsa.remove();
  });

  it.each([
    ['SQLite', sqliteTestDatabase],
    ['PostgreSQL', postgresTestDatabase],
  ])('have each record timestamped once, on %s', async (_name, makeDatabase) => {
    const database = await makeDatabase();
    const options = { rootPem: tsa.rootPem, urls: [served.url], mode: 'each', database } as const;
    const nodes = [await timestampingNode(options), await timestampingNode(options)];
    const before = served.calls;
    for (const { start } of nodes) start();
    const made = await Promise.all(
      Array.from({ length: RECORDS }, async (_item, index) => nodes[index % nodes.length]?.certify()),
    );
    for (const hash of made) {
      for (const { node } of nodes)
        expect(await timestamped(node, hash ?? '')).toHaveProperty('timestamp.type', 'rfc3161');
    }
    expect(served.calls - before).toBe(RECORDS);
    for (const { close } of nodes) await close();
    await database.remove();
  });
});
