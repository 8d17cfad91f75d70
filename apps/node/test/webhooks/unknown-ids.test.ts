import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { postgresTestDatabase, type TestDatabase } from '@cer/sql-store/testing';
import { ask, at } from '../ask.js';
import { startTestNode, type TestNode } from '../test-node.js';

// PostgreSQL fails at a text with NUL.

let database: TestDatabase;
let node: TestNode;
let key: string;

beforeAll(async () => {
  database = await postgresTestDatabase();
  node = await startTestNode({ database });
  key = await node.newKey('owner', ['webhooks']);
});
afterAll(async () => {
  await node.close();
  await database.remove();
});

it.each(['%00', 'wh_%00', 'nowhere', `wh_${randomUUID()}`])('finds no webhook by another text: %s', async (id) => {
  for (const [method, path, body] of [
    ['get', `/v1/webhooks/${id}/deliveries`, undefined],
    ['post', `/v1/webhooks/${id}/test`, {}],
    ['post', `/v1/webhooks/${id}/rotate`, { graceHours: 0 }],
    ['post', `/v1/webhooks/${id}/remove`, {}],
    ['post', `/v1/webhooks/${id}/deliveries/msg_${randomUUID()}/send`, {}],
  ] as const) {
    const answer = await ask(node, method, path, { key, body });
    expect([path, answer.status, at(answer.body, 'error')]).toEqual([path, 404, 'NOT_FOUND']);
  }
});
