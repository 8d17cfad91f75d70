import { createServer } from 'node:http';
import { join } from 'node:path';
import { createMetrics, silentLogger, type Logger } from '@cer/http-service/process';
import { builtProgram } from '@cer/http-service/testing';
import { createApp, type SiteLogPolicy } from '../src/app.js';
import { loadWebBuild } from '../src/pages/web-build.js';
import { createLargeCheck } from '../src/record/large-check.js';
import { connectToNode } from '../src/record/node-client.js';
import { closed, listening } from './stub-node.js';

export const WEB_BUILD_FOLDER = join(__dirname, '..', 'dist', 'web');
/** The program that checks large records. */
export const CHECK_PROGRAM = builtProgram('apps/verifier/src/record/check-program.ts');
export const PUBLIC_URL = 'https://verify.example';

export interface VerifierUnderTest {
  readonly url: string;
  close(): Promise<void>;
}

interface Options {
  /** The address the server uses. */
  readonly nodeUrl: string;
  /** The address the browser uses, where it is another. */
  readonly publicNodeUrl?: string;
  readonly rateLimitPerMinute?: number;
  readonly logger?: Logger;
  readonly logPolicy?: SiteLogPolicy;
  /** Limits of large records, in place of those of the service. */
  readonly limits?: { readonly recordsAtOnceBytes?: number; readonly heapMib?: number };
  /** How far the server's clock is ahead, in milliseconds. */
  readonly now?: () => Date;
}

/** The verifier on its own port, with the built browser files. */
export async function startVerifier(options: Options): Promise<VerifierUnderTest> {
  const { nodeUrl, publicNodeUrl = nodeUrl, rateLimitPerMinute = 100_000, now = () => new Date() } = options;
  const app = createApp({
    node: connectToNode({ nodeUrl, timeoutMs: 60_000, now, ...options.limits }),
    checkLarge: createLargeCheck(CHECK_PROGRAM, options.limits?.heapMib),
    build: loadWebBuild(WEB_BUILD_FOLDER),
    publicUrl: PUBLIC_URL,
    publicNodeUrl,
    rateLimitPerMinute,
    logger: options.logger ?? silentLogger(),
    metrics: createMetrics(),
    now,
    ...(options.logPolicy !== undefined && { logPolicy: options.logPolicy }),
  });
  const server = createServer(app);
  return { url: await listening(server), close: () => closed(server) };
}
