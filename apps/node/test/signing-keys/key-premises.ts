import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sha256 } from '@cer/cer-core';
import { createKeyVault, openKeyVault } from '@cer/keys/file-signer';
import { recordedLog } from '@cer/http-service/testing';
import { sqliteTestDatabase, type TestDatabase } from '@cer/sql-store/testing';

import type { SigningKeyHolder } from '../../src/signing/key-holder.js';
import { openSigningKeys, type SigningKeys } from '../../src/start/open-signing-keys.js';
import type { AuditAct, AuditLog } from '../../src/audit-log/audit-log.js';
import { openStore, type Store } from '../../src/store/index.js';

export const ASKED = { actor: 'admin@test', requestId: 'request-1' };

/** The signing keys of one process of the database. */
export interface KeyNode extends SigningKeys {
  readonly store: Store;
  /** Sets the offset of this node's clock from the shared one. */
  readonly setClock: (offMs: number) => void;
}

/** A database and a key file, a manual clock, and any number of nodes. */
export interface KeyPremises {
  readonly folder: string;
  readonly keysFile: string;
  readonly database: TestDatabase;
  readonly audited: AuditAct[];
  readonly audit: AuditLog;
  readonly log: readonly string[];
  now: () => Date;
  pass: (ms: number) => void;
  open: (options?: { holders?: readonly [SigningKeyHolder, ...SigningKeyHolder[]] }) => Promise<KeyNode>;
  remove: () => Promise<void>;
}

export async function keyPremises(options: { readonly database?: TestDatabase } = {}): Promise<KeyPremises> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-signing-'));
  const keysFile = join(folder, 'keys.json');
  const database = options.database ?? (await sqliteTestDatabase());
  let time = Date.parse('2026-05-01T00:00:00.000Z');
  createKeyVault(keysFile, { nodeId: 'node-test', now: new Date(time), withKey: true });
  const audited: AuditAct[] = [];
  const { logger, lines } = recordedLog();
  const nodes: KeyNode[] = [];
  return {
    folder,
    keysFile,
    database,
    audited,
    audit: { append: async (act) => audited.push(act) },
    log: lines,
    now: () => new Date(time),
    pass: (ms) => (time += ms),
    open: async ({ holders } = {}) => {
      let offMs = 0;
      const store = await openStore({ databaseUrl: database.url, queueLimit: 100 });
      const keys = await openSigningKeys({
        config: {
          keysFile,
          signer: 'file',
          pkcs11: null,
          rootKeyFile: join(folder, 'root-key.json'),
          makesRootKey: true,
          keySetMaxAgeSeconds: 60,
        },
        store: store.signingKeys,
        vault: openKeyVault(keysFile),
        nodeRuntimeHash: sha256('runtime'),
        now: () => new Date(time + offMs),
        logger,
        ...(holders !== undefined && { holders }),
      });
      const node = { ...keys, store, setClock: (ms: number) => (offMs = ms) };
      nodes.push(node);
      return node;
    },
    remove: async () => {
      for (const { upkeep, store } of nodes) {
        await upkeep.stop();
        await store.close();
      }
      await database.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
