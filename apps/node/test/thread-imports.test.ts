import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { builtProgram } from '@cer/http-service/testing';

// A thread that loads knex and pg takes 100 ms and 10 to 20 MB more.
it.each(['store/sqlite/log-mover-thread', 'store/sqlite/writer-thread', 'thread/thread'])(
  '%s loads no query builder',
  (thread) => {
    const files = new Set([builtProgram(`apps/node/src/${thread}.ts`)]);
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      expect(text.match(/^\/\/ .*\bnode_modules\/(?:knex|pg)\/.*$/m)?.[0]).toBeUndefined();
      for (const [, chunk = ''] of text.matchAll(/(?:from|^import) "(\.[^"]+)"/gm))
        files.add(resolve(dirname(file), chunk));
    }
  },
);
