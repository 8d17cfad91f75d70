import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import Sqlite from 'better-sqlite3';

import type { TestDatabase } from './test-database.js';

/** A file that does not exist yet, in a folder that does not exist yet. */
export async function sqliteTestDatabase(): Promise<TestDatabase & { readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'cer-sqlite-'));
  const path = join(folder, 'data', 'node.db');
  return {
    path,
    url: `sqlite:${path}`,
    query: async (sql) => {
      const file = new Sqlite(path);
      try {
        const statement = file.prepare<[], Record<string, unknown>>(sql);
        if (statement.reader) return statement.all();
        statement.run();
        return [];
      } finally {
        file.close();
      }
    },
    remove: async () => {
      rmSync(folder, { recursive: true });
    },
  };
}
