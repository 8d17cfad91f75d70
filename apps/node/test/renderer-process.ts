import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '@cer/http-service/config';

import { createRendererClient } from '../src/render/renderer-client.js';
import { startMain } from './node-process.js';
import { startTestNode, type TestNode } from './test-node.js';

const MAIN = join(__dirname, '../../renderer/src/main.ts');
const TOKEN = 'token-of-a-renderer-in-a-process-00000';

/** A node whose renderer is a real one, in a separate process, with the given browser. */
export interface RenderingNode {
  readonly node: TestNode;
  readonly key: string;
  readonly close: () => Promise<void>;
}

export async function startRenderingNode(chromiumPath: string): Promise<RenderingNode> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-renderer-token-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  const renderer = await startMain(MAIN, {
    RENDERER_TOKEN_FILE: tokenFile,
    CHROMIUM_PATH: chromiumPath,
    RENDER_PAGES_AHEAD: '0',
    STILL_DEADLINE_MS: '120000',
  });
  const client = createRendererClient(renderer.url, new Secret(TOKEN));
  const node = await startTestNode({
    replace: () => ({ render: { renderer: client, maxTotalFrames: 1800, allowOpenRender: false } }),
  });
  return {
    node,
    key: await node.newKey(),
    async close() {
      await node.close();
      renderer.kill('SIGTERM');
      await renderer.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
