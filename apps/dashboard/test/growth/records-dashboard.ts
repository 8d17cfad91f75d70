import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { isJsonObject, type JsonObject } from '@cer/canonical-json';
import { buildProject } from '@cer/cer-core/seal';
import { executionRequest } from '@cer/cer-core/testing';
import { serve, silentLogger, type RunningServer } from '@cer/http-service/process';
import { builtProgram } from '@cer/http-service/testing';
import type { PopulatedService } from '@cer/http-service/testing/request-costs';
import type { CountedDatabase } from '@cer/sql-store/testing';
import { issueApiKey } from '../../src/account/api-key.js';
import { issueShare } from '../../src/shares/share.js';
import { ROWS, type Row } from '../security/caller-table.js';
import { startWholeDashboard, type WholeDashboard } from '../security/whole-dashboard.js';
import { PUBLIC_URL, SERVICE_TOKEN } from '../test-dashboard.js';

const MAIN = 'apps/node/src/main.ts';
/** Messages of the webhook: the node lets ten wait, and a page shows twenty. */
const MESSAGES = 5;

/** A request of the owner, or of the holder of a shared link, that the dashboard answers from records of the node. */
export interface RecordsRow extends Row {
  /** What is added to the path. */
  readonly query?: (of: Stored) => string;
}

/** What the node has of the account. */
export interface Stored {
  /** A certificate with as many reviews as there are certificates. */
  readonly hash: string;
  /** A project whose steps are all certificates. */
  readonly projectHash: string;
  readonly shareToken: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

const isAboutRecords = ({ expected }: Row): boolean => expected.owner === 503 && expected['operator token'] !== 200;

/** Every row that asks the node, in the order of the table; a webhook is removed after the others. */
export const RECORDS_ROWS: readonly RecordsRow[] = [
  ...ROWS.filter((row) => isAboutRecords(row) && !/oidc|remove$/.test(row.route)),
  { ...rowOf('GET /records'), about: 'a project', query: ({ projectHash }) => `?search=${projectHash}` },
  { ...rowOf('GET /records'), about: 'of a model', query: () => '?model=m' },
  rowOf('POST /alerts/:webhookId/remove'),
];

function rowOf(route: string): Row {
  const row = ROWS.find((each) => each.route === route);
  if (row === undefined) throw new Error(`no row: ${route}`);
  return row;
}

export interface RecordsDashboard extends PopulatedService<RecordsRow> {
  /** Where the node asks the dashboard. */
  readonly controlPlaneUrl: string;
}

/** A dashboard whose node has `size` certificates of one account, as many reviews of one of them, and a webhook. */
export async function recordsDashboard(size: number, database: CountedDatabase): Promise<RecordsDashboard> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing) await end();
    await database.remove();
  };
  try {
    // The node asks a dashboard that is made when the node's address is known.
    const dashboards: RunningServer[] = [];
    const listening = { host: '127.0.0.1', port: 0, logger: silentLogger() };
    const front = await serve(answeredOnce(dashboards), listening);
    closing.push(() => front.close());
    const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    closing.push(() => {
      receiver.closeAllConnections();
      return promisify(receiver.close.bind(receiver))();
    });
    const node = await startNode(front);
    closing.unshift(node.stop);
    const whole = await startWholeDashboard({ databaseUrl: database.url, nodeUrl: node.url });
    closing.push(whole.close);
    const asked = await serve(whole.dashboard.app, listening);
    closing.push(() => asked.close());
    dashboards.push(asked);
    const stored = await store(size, whole, { nodeUrl: node.url, receiver: addressOf(receiver.address()) });
    const send = async (row: RecordsRow, body?: unknown): Promise<{ readonly status: number }> =>
      whole.send(filled(row, stored, isFields(body) ? body : {}), 'owner');
    for (let at = 0; at < size; at += 1) {
      const { status } = await send(rowOf('POST /reviews'));
      if (status !== 200) throw new Error(`a review: ${status}`);
    }
    await database.query('analyze');
    return { send, work: database.work, close, controlPlaneUrl: front.url };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Forwards each request of the node to the dashboard once, and repeats its answer. The node asks again after 2 seconds,
 * in the middle of a counted request or between two: the dashboard's work for it is not that of the request. Reports of
 * usage, which the node sends every 30 seconds, are refused for the same reason.
 */
function answeredOnce(dashboards: readonly RunningServer[]): RequestListener {
  const answers = new Map<string, Promise<{ readonly status: number; readonly text: string }>>();
  const ask = async (url: string, init: RequestInit): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  };
  return (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const answer = async (): Promise<void> => {
      const body = await textOf(request);
      if (path.endsWith('/usage')) {
        response.writeHead(503).end();
        return;
      }
      const [dashboard] = dashboards;
      if (dashboard === undefined) throw new Error('asked before there is a dashboard');
      const question = `${method} ${path} ${body}`;
      const { authorization = '' } = headers;
      const asked =
        answers.get(question) ??
        ask(dashboard.url + path, {
          method,
          headers: { authorization, 'content-type': 'application/json' },
          ...(body !== '' && { body }),
        });
      answers.set(question, asked);
      const { status, text } = await asked;
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    answer().catch(() => response.destroy());
  };
}

const isFields = (body: unknown): body is Readonly<Record<string, string>> => typeof body === 'object' && body !== null;

/** A row about what is stored. */
function filled(row: RecordsRow, stored: Stored, fields: Readonly<Record<string, string>>): Row {
  const [, pattern = ''] = row.route.split(' ');
  const values: Readonly<Record<string, string>> = {
    ...{ ':hash': stored.hash, ':token': stored.shareToken, ':webhookId': stored.webhookId },
    ':deliveryId': stored.deliveryId,
  };
  const path = pattern.replaceAll(/:\w+/g, (name) => values[name] ?? name);
  const query = pattern === '/reviews/new' ? `?certificate=${stored.hash}` : (row.query?.(stored) ?? '');
  const review = { reviewed: stored.hash, seen: stored.hash, execution_id: `review:${randomUUID()}` };
  return {
    ...row,
    path: () => `${path}${query}`,
    fields: { ...row.fields, ...(pattern === '/reviews' && review), ...fields },
  };
}

/** Certificates, a project of them, a shared link to all, and a webhook with messages. */
async function store(
  size: number,
  { dashboard }: WholeDashboard,
  { nodeUrl, receiver }: { readonly nodeUrl: string; readonly receiver: string },
): Promise<Stored> {
  const { tenantId } = dashboard.tenant;
  const { key, ...made } = issueApiKey();
  const scopes = ['certify', 'register', 'webhooks'] as const;
  await dashboard.store.apiKeys.create({ tenantId, name: 'node', scopes, ...made }, 'test');
  const post = async (path: string, body: object | string): Promise<string> => {
    const answer = await fetch(`${nodeUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return text;
  };
  const request = (at: number): string =>
    JSON.stringify(executionRequest({ executionId: randomUUID(), appId: `app-${at}`, model: 'm' }));
  const lines = Array.from({ length: size }, (_, at) => `${request(at)}\n`).join('');
  const bundles = (await post('/v1/cer/ai/certify-batch', lines))
    .trimEnd()
    .split('\n')
    .map((line) => objectIn(objectIn(JSON.parse(line), 'body'), 'cer'));
  const project = buildProject(
    { projectBundleId: randomUUID() },
    bundles.map((bundle, at) => ({ stepId: `s${at}`, bundle })),
  );
  const registered: unknown = JSON.parse(await post('/v1/project-bundle/register', project));
  const webhook = objectIn(JSON.parse(await post('/v1/webhooks', { url: receiver })), 'webhook');
  const webhookId = textIn(webhook, 'id');
  for (let at = 0; at < MESSAGES; at += 1) await post(`/v1/webhooks/${webhookId}/test`, {});
  const messages = await fetch(`${nodeUrl}/v1/webhooks/${webhookId}/deliveries`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { deliveries } = (await messages.json()) as { readonly deliveries: readonly { readonly id: string }[] };
  const { url, ...share } = issueShare(PUBLIC_URL, tenantId, { kind: 'set', target: '' }, 7, dashboard.now());
  await dashboard.store.shares.create(share, 'test');
  return {
    hash: textIn(bundles[0], 'certificateHash'),
    projectHash: textIn(registered, 'projectHash'),
    shareToken: url.split('/shared/')[1] ?? '',
    webhookId,
    deliveryId: deliveries[0]?.id ?? '',
  };
}

function objectIn(value: unknown, name: string): JsonObject {
  const inner = isJsonObject(value) ? value[name] : undefined;
  if (!isJsonObject(inner)) throw new Error(`no object: ${name}`);
  return inner;
}

function textIn(value: unknown, name: string): string {
  const inner = isJsonObject(value) ? value[name] : undefined;
  if (typeof inner !== 'string') throw new Error(`no text: ${name}`);
  return inner;
}

function addressOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('has no port');
  return `http://127.0.0.1:${address.port}/`;
}

/** A real attestation node in a separate process, on SQLite, whose control plane is the dashboard. */
async function startNode(
  controlPlane: RunningServer,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-dashboard-node-'));
  const tokenFile = join(folder, 'service-token');
  writeFileSync(tokenFile, SERVICE_TOKEN, { mode: 0o600 });
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...{ HOST: '127.0.0.1', PORT: '0', CONTROL_PLANE_URL: controlPlane.url, CONTROL_PLANE_TOKEN_FILE: tokenFile },
    ...{ KEYS_FILE: join(folder, 'keys.json'), COMMITMENT_SECRET_FILE: join(folder, 'secrets.json') },
    ...{ DATABASE_URL: `sqlite:${join(folder, 'node.sqlite')}`, TENANT_WEBHOOKS_ALLOW_PRIVATE: '1' },
  };
  execFileSync(process.execPath, [builtProgram(MAIN), 'init'], { env });
  const child = spawn(process.execPath, [builtProgram(MAIN)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url = /"msg":"listening".*"url":"([^"]+)"|"url":"([^"]+)".*"msg":"listening"/.exec(line)?.slice(1).find(Boolean);
    if (url !== undefined) break;
  }
  if (url === undefined) throw new Error('the node ended before it listened');
  // Its later log lines must not fill the pipe.
  child.stdout.resume();
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
