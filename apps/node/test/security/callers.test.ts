import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  answerFaults,
  chartIngressOf,
  connectRaw,
  HOSTILE_FIELDS,
  HOSTILE_HOST,
  hostileJson,
  namedRows,
  pollutedKinds,
  routesOfRows,
} from '@cer/http-service/testing';

import { nodeRoutes } from '../../src/start/app.js';
import { type Answer, type Question } from '../ask.js';
import { startWholeNode, type WholeNode } from '../whole-node.js';
import { askRow } from './ask-row.js';
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

/** Public and the same for every caller. */
const SAVED = /^GET (\/\.well-known\/svc-(node|key-history|log)\.json|\/log\/(epochs\/)?(tile\/:path\+|checkpoint))$/;

/** Callers that may see the hidden record. */
const ENTITLED: ReadonlySet<Caller> = new Set(['owner', 'audit key', 'admin']);

function send(row: Row, caller: Caller): Promise<Answer> {
  return askRow(whole.node, { row, resources, as: callers[caller] }, { ...HOSTILE_FIELDS, Host: HOSTILE_HOST });
}

const named = namedRows(ROWS);

describe('the matrix of callers and routes', () => {
  it('has a row for every route', () => {
    const routes = nodeRoutes(whole.node.deps).map(({ method, path }) => `${method} ${path}`);
    expect(routesOfRows(ROWS)).toEqual(routes.toSorted());
  });

  it('is reached through the chart but for metrics', () => {
    expect(chartIngressOf('node', nodeRoutes(whole.node.deps))).toEqual({ closed: ['/metrics'], unused: [] });
  });

  it.each(named)('has the expected statuses: %s', async (_name, row) => {
    const statuses: [Caller, number][] = [];
    for (const caller of CALLERS) {
      const answer = await send(row, caller);
      statuses.push([caller, answer.status]);
      expect([caller, answerFaults(answer, SAVED.test(row.route) && answer.status === 200)]).toEqual([caller, []]);
      if (ENTITLED.has(caller)) continue;
      expect([caller, answer.text.includes(CANARY)]).toEqual([caller, false]);
      expect([caller, answer.text.includes(resources.hiddenId)]).toEqual([caller, false]);
    }
    expect(Object.fromEntries(statuses)).toEqual(row.expected);
  });
});

const POSTED = named.filter(([, { route, mediaType }]) => route.startsWith('POST ') && mediaType === undefined);

describe('after the matrix, a hostile request', () => {
  it.each(POSTED)('changes no prototype: %s', async (_name, row) => {
    const text = hostileJson(row.body?.(resources) ?? {});
    for (const caller of ['owner', 'admin'] as const) {
      const { status } = await send({ ...row, body: () => text }, caller);
      expect([caller, status < 500]).toEqual([caller, true]);
    }
    expect(pollutedKinds()).toEqual([]);
  });

  it('forges no log line and leaves no value in the log', async () => {
    const raw = await connectRaw(whole.node.url);
    raw.send(`GET /v1/cer/public%0d%0aforged HTTP/1.1\r\nHost: ${HOSTILE_HOST}\r\nX-Request-Id: forged\x9b\x85\r\n`);
    raw.send('User-Agent: "}\x9b[2K{"level":"fatal"\r\nConnection: close\r\n\r\n');
    expect(await raw.ended()).toMatch(/^HTTP\/1\.1 404 /);
    const lines = whole.node.log
      .join('')
      .split('\n')
      .filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(500);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
    const text = lines.join('');
    expect(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.exec(text)).toBeNull();
    const secrets = Object.values(callers).flatMap(({ key, headers = {} }) => [key ?? '', ...Object.values(headers)]);
    const values = [
      ...secrets.filter((secret) => secret.length > 20),
      HOSTILE_HOST,
      CANARY,
      resources.hiddenId,
      'forged',
    ];
    expect(values.filter((value) => text.includes(value))).toEqual([]);
  });
});
