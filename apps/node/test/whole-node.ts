import { join } from 'node:path';

import { Secret } from '@cer/http-service/config';
import { openRootFile } from '@cer/keys/file-signer';
import type { Signer } from '@cer/keys';

import type { Worker } from '../src/worker/worker.js';
import { newKeyHolder, openTestLog } from './log/logging-node.js';
import { startStubRenderer } from './openapi/stub-renderer.js';
import { keyPremises, type KeyPremises } from './signing-keys/key-premises.js';
import { startTestNode, type TestNode } from './test-node.js';
import type { TestDatabase } from '@cer/sql-store/testing';

/** A node on which no route is closed: signing keys, a log, a renderer and an admin secret. */
export interface WholeNode {
  readonly node: TestNode;
  readonly adminSecret: string;
  readonly premises: KeyPremises;
  /** The root key that signs its key history. */
  readonly root: Signer;
  /** Stops the background work on the log. */
  readonly stopLog: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const ADMIN_SECRET = 'secret of the test administrator';

export interface WholeNodeOptions {
  /** Whether a client without a key may render. */
  readonly allowOpenRender: boolean;
  /** An empty one, removed with the node; a new SQLite file by default. */
  readonly database?: TestDatabase;
}

export async function startWholeNode({ allowOpenRender, ...on }: WholeNodeOptions): Promise<WholeNode> {
  const premises = await keyPremises(on);
  const renderer = await startStubRenderer();
  let logWorker: Worker | undefined;
  const { signing, operations, history } = await premises.open();
  const node = await startTestNode({
    database: premises.database,
    replace: () => ({
      ...{
        signing,
        keyOperations: operations,
        keyHistory: history,
        now: premises.now,
        adminSecret: new Secret(ADMIN_SECRET),
      },
      render: { renderer: renderer.client, maxTotalFrames: 100, allowOpenRender },
    }),
    replaceAsync: async (deps) => {
      const options = { everyMs: 100, epochEverySeconds: 0, now: () => new Date() };
      const setup = await openTestLog(deps, newKeyHolder(premises.folder), options);
      logWorker = setup?.start({ assertAccepted: async () => undefined });
      return { log: setup?.log ?? null };
    },
  });
  return {
    node,
    adminSecret: ADMIN_SECRET,
    premises,
    stopLog: async () => {
      await logWorker?.stop();
    },
    root: openRootFile(join(premises.folder, 'root-key.json')),
    close: async () => {
      await logWorker?.stop();
      await node.close();
      await renderer.close();
      await premises.remove();
    },
  };
}
