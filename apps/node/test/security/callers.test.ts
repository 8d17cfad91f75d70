import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { nodeRoutes } from '../../src/start/app.js';
import { ask, type Answer, type Question } from '../ask.js';
import { startWholeNode, type WholeNode } from '../whole-node.js';
import { CALLERS, ROWS, type Caller, type Resources, type Row } from './caller-table.js';
import { CANARY, makeCallers, makeResources } from './whole-resources.js';

// Every route of the node with every caller. A route without a row fails.

let whole: WholeNode;
let resources: Resources;
let callers: Readonly<Record<Caller, Pick<Question, 'key' | 'headers'>>>;

beforeAll(async () => {
  whole = await startWholeNode({ allowOpenRender: false });
  const { node } = whole;
  const key = await node.newKey('owner');
  const { tenantId } = await node.store.tenants.createTenant('owner');
  resources = await makeResources(whole, { tenantId, key });
  callers = await makeCallers(whole, { name: 'owner', key });
});
afterAll(() => whole.close());

/** Callers that may see the hidden record. */
const ENTITLED: ReadonlySet<Caller> = new Set(['owner', 'audit key', 'admin']);

function send({ route, path, body, mediaType }: Row, caller: Caller): Promise<Answer> {
  const [method, pattern = ''] = route.split(' ');
  const { key, headers = {} } = callers[caller];
  return ask(whole.node, method === 'GET' ? 'get' : 'post', path?.(resources) ?? pattern, {
    ...(key !== undefined && { key }),
    ...(body !== undefined && { body: body(resources) }),
    headers: { ...headers, ...(mediaType !== undefined && { 'Content-Type': mediaType }) },
  });
}

const named = ROWS.map((row) => [`${row.route}${row.about === undefined ? '' : `: ${row.about}`}`, row] as const);

describe('the matrix of callers and routes', () => {
  it('has a row for every route', () => {
    const routes = nodeRoutes(whole.node.deps).map(({ method, path }) => `${method} ${path}`);
    expect([...new Set(ROWS.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted());
  });

  it.each(named)('has the expected statuses: %s', async (_name, row) => {
    const statuses: [Caller, number][] = [];
    for (const caller of CALLERS) {
      const answer = await send(row, caller);
      statuses.push([caller, answer.status]);
      if (ENTITLED.has(caller)) continue;
      expect([caller, answer.text.includes(CANARY)]).toEqual([caller, false]);
      expect([caller, answer.text.includes(resources.hiddenId)]).toEqual([caller, false]);
    }
    expect(Object.fromEntries(statuses)).toEqual(row.expected);
  });
});
