import { createAuditLog } from '../audit-log/audit-log.js';
import { openMarkFile } from '../restore-mark/mark-file.js';
import { findGap } from '../restore-mark/restored-store.js';
import { loadNodeConfig } from '../start/config.js';
import { withSigning } from './with-signing.js';
import type { Command } from './command.js';

/** Marks of other machines may be this far ahead of this one's. */
const HEADROOM = 1_000_000;

export const restoreAcceptCommand: Command = {
  name: 'restore accept',
  usage: [['restore accept', 'open certification on a database that is older than this node has seen']],
  takesArguments: false,
  run: async (_args, env) => {
    const config = loadNodeConfig(env);
    const file = openMarkFile(config.restoreMarkFile);
    return withSigning(env, async ({ store, signing, now }) => {
      const gap = await findGap(store, file);
      if (gap === null) return 'the database is as new as the mark of this node: nothing to accept';
      const { found, seen } = gap;
      const details = { from: found.at, to: seen.at, found: found.count, seen: seen.count };
      await createAuditLog({ audit: store.audit, signing, now }).append({
        act: 'store.restored',
        target: null,
        actor: 'command',
        requestId: null,
        details,
      });
      file.write(await store.mark.advance(now().toISOString(), HEADROOM, seen.count));
      return `accepted: what was recorded between ${found.at} and ${seen.at} may be missing, as the audit log now says`;
    });
  },
};
