import { sha256 } from '@cer/cer-core';
import { serve, silentLogger, type RunningServer } from '@cer/http-service/process';
import { createHmac } from 'node:crypto';
import { createApp } from '../src/app.js';
import { readConfig, type RendererConfig } from '../src/config.js';
import { startEngine, type Engine } from '../src/engine.js';
import { processGroup } from '../src/browser/processes.js';

export const TOKEN = 'an-internal-token-for-tests-of-40-letters';
const NONCE = 'nonce-of-a-test-0123456789';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A renderer on a free port, with a real browser. */
export interface RendererUnderTest {
  readonly url: string;
  readonly engine: Engine;
  /** Sends a request as the node does and checks the MAC of the answer. */
  post(path: string, body: unknown, options?: { readonly signal?: AbortSignal }): Promise<Answer>;
  /** A still of `code` for a new tenant. */
  still(code: string, more?: object): Promise<Answer>;
  /** Every process of the browser. */
  processes(): Promise<number>;
  close(): Promise<void>;
}

export function testConfig(overrides: Readonly<Record<string, string>> = {}): RendererConfig {
  return readConfig({
    ...(process.env['CHROMIUM_PATH'] !== undefined && { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] }),
    PORT: '0',
    LOG_LEVEL: 'silent',
    RENDERER_TOKEN: TOKEN,
    // A busy machine needs much time for renders that a test expects to succeed.
    STILL_DEADLINE_MS: '120000',
    FRAME_DEADLINE_MS: '60000',
    LOOP_DEADLINE_MS: '150000',
    ...overrides,
  });
}

export async function startRenderer(
  overrides: Readonly<Record<string, string>> = {},
  shared?: Engine,
): Promise<RendererUnderTest> {
  const config = testConfig(overrides);
  const logger = silentLogger();
  const engine = shared ?? (await startEngine(config, logger));
  const server: RunningServer = await serve(createApp({ config, logger, engine: () => engine }), {
    host: '127.0.0.1',
    port: 0,
    logger,
  });
  let tenants = 0;

  const post: RendererUnderTest['post'] = async (path, body, { signal } = {}) => {
    const text = JSON.stringify(body);
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'x-render-nonce': NONCE },
      body: text,
      ...(signal !== undefined && { signal }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const mac = macOf(Buffer.from(text), bytes);
    if (response.headers.get('x-render-mac') !== mac)
      throw new Error(`the answer to ${path} (${response.status}) has a wrong MAC`);
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(Buffer.from(bytes).toString()) as Answer['body'],
    };
  };
  return {
    url: server.url,
    engine,
    post,
    still: (code, more = {}) => post('/render', { tenantId: `tenant-${(tenants += 1)}`, code, ...more }),
    processes: async () => processGroup((await engine.host.current()).pid).length,
    async close() {
      await server.close();
      if (shared === undefined) await engine.close();
    },
  };
}

/** The MAC as the node computes it, written out independently of the service's own code. */
export function macOf(requestBody: Uint8Array, responseBody: Uint8Array, nonce = NONCE): string {
  const message = `{"nonce":"${nonce}","requestHash":"${sha256(requestBody)}","responseHash":"${sha256(responseBody)}"}`;
  return createHmac('sha256', TOKEN).update(message).digest('base64url');
}

/** Polls until it holds; fails with `what` after a generous time. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 150_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`not within 150 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
