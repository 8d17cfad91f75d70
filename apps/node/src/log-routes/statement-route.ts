import { ok } from '@cer/http-service';
import { recordNotFound } from '../errors/refusals.js';
import { publishedStatement } from '../log/log-statement.js';
import type { NodeLog } from '../log/node-log.js';
import { list, object, TEXT } from '../openapi/answer-shapes.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { Store } from '../store/index.js';

export interface StatementRouteDeps {
  readonly store: Pick<Store, 'log' | 'logNotes'>;
  readonly log: NodeLog | null;
  readonly now: () => Date;
}

const PROMISE = object({
  origin: TEXT,
  vkey: TEXT,
  role: { enum: ['receipts', 'epochs'] },
  since: TEXT,
  mmdSeconds: { type: 'integer' },
  closed: { type: ['object', 'null'] },
});

/** @see docs/spec.md, "GET /.well-known/svc-log.json" */
export function statementRoute({ store, log, now }: StatementRouteDeps): DescribedRoute {
  return {
    method: 'GET',
    path: '/.well-known/svc-log.json',
    description: {
      group: 'Transparency log',
      summary: 'The promise about the logs, signed by a root',
      access: 'public',
      success: {
        200: {
          description: 'The statement; without signatures until a root signed it.',
          schema: object({
            statement: object({
              type: { const: 'svc.log-statement.v1' },
              version: { type: 'integer' },
              issuedAt: TEXT,
              nodeId: TEXT,
              logs: list(PROMISE),
            }),
            signatures: list(object({ kid: TEXT, signature: TEXT })),
          }),
        },
      },
      errors: ['NOT_FOUND'],
    },
    cors: 'public',
    handler: async () => {
      if (log === null) throw recordNotFound();
      const deps = { logNotes: store.logNotes, rows: await store.log.logs(), nodeId: log.nodeId };
      return ok(await publishedStatement(deps, now()), { 'cache-control': 'public, max-age=60' });
    },
  };
}
