import { ServiceError } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';
import { leafRange } from '../log/completeness.js';
import type { NodeLog } from '../log/node-log.js';
import { openingLines, type LeafQuestion } from '../log/opening-lines.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { LEAF_FILTERS } from '../records/list/list-shapes.js';
import { QueryReader, readRecordQuery } from '../records/list/record-query.js';
import type { Store } from '../store/index.js';

export interface CompletenessRouteDeps {
  readonly store: Pick<Store, 'log' | 'logEpochs' | 'logNotes'>;
  readonly log: NodeLog | null;
  readonly gate: Pick<Gate, 'admit' | 'callerOf'>;
}

/** @see docs/spec.md, "GET /v1/log/completeness" */
export function completenessRoute({ store, log, gate }: CompletenessRouteDeps): DescribedRoute {
  return {
    method: 'GET',
    path: '/v1/log/completeness',
    description: {
      group: 'Transparency log',
      summary: 'That nothing is missing between two epochs: heads, proofs and an opening for each leaf',
      access: { scopes: ['audit', 'certify'] },
      query: LEAF_FILTERS,
      success: {
        200: {
          description: 'First the document of the range, then one opening a line.',
          mediaTypes: ['application/x-ndjson'],
        },
      },
      errors: ['NOT_FOUND'],
    },
    admit: gate.admit('audit', 'certify'),
    handler: async (head) => {
      const { tenantId } = gate.callerOf(head);
      const reader = new QueryReader(
        head.query,
        [],
        LEAF_FILTERS.map(({ name }) => name),
      );
      const { attestedFrom = null, attestedTo = null, appId = null, bundleType = null } = readRecordQuery(reader);
      reader.end();
      const question: LeafQuestion = { attestedFrom, attestedTo, appId, bundleType };
      // Nothing is pending: a client that retried would never get an answer.
      if (log === null) throw new ServiceError({ code: 'NOT_FOUND', message: 'this node has no transparency log' });
      const shown = await store.logNotes.newestPublished(log.epochs.logId);
      const range = await leafRange({ store, ...log }, tenantId, question, shown);
      if (range === null) throw noEpoch();
      const lines = openingLines({ store: store.log, ...log }, tenantId, range, question);
      return {
        status: 200,
        headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
        body: withFirst(`${JSON.stringify(range.document)}\n`, lines),
      };
    },
  };
}

async function* withFirst(first: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* lines;
}

function noEpoch(): ServiceError {
  return new ServiceError({
    code: 'NOT_FOUND',
    message: 'no published epoch has leaves of this account, and every deletion, yet: retry after the next',
    members: { reasonCode: 'LOG_PENDING' },
    headers: { 'retry-after': '60' },
  });
}
