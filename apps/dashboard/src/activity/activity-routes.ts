import { checkQuery, ndjson, ok, otlpLogs, ServiceError, type LogEvent } from '@cer/http-service';
import type { Secret } from '@cer/http-service/config';
import { OTLP_LOGS } from '@cer/http-service/openapi';
import * as z from 'zod';
import { createServiceGate } from '../introspection/service-gate.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { AccountAct, Store } from '../store/index.js';
import type { Pages } from '../web/pages.js';
import { activityPage } from './activity-page.js';

const ACTS_SHOWN = 200;

export interface ActivityRoutesDeps {
  readonly pages: Pages;
  readonly store: Store;
  /** Absent: the route for operators answers 404. */
  readonly operatorToken?: Secret<string> | undefined;
}

const SEQ = /^(0|[1-9]\d{0,14})$/;
const LIMIT = /^([1-9]\d{0,2}|1000)$/;
const FORMATS = ['ndjson', 'otlp'] as const;

const ExportQuery = z.strictObject({
  after: z.string().regex(SEQ, { error: 'must be a whole number' }).default('0'),
  limit: z.string().regex(LIMIT, { error: 'must be a whole number from 1 to 1000' }).optional(),
});

const OperatorQuery = ExportQuery.extend({ format: z.enum(FORMATS).default('ndjson') });

/** Acts that an export reads at once. */
const ACTS_AT_ONCE = 1000;

/** The audit trail: of one account for its people, of all accounts for operators. @see docs/spec.md, "Control plane" */
export function activityRoutes({ pages, store, operatorToken }: ActivityRoutesDeps): readonly DescribedRoute[] {
  const gate = operatorToken === undefined ? null : createServiceGate(operatorToken);
  return [
    pages.view('/activity', 'Activity of the account', async ({ session }) =>
      activityPage(await store.acts(session.tenant.tenantId, ACTS_SHOWN), ACTS_SHOWN),
    ),
    pages.view(
      '/activity/export',
      {
        summary: 'Activity of the account as a file',
        query: ['after', 'limit'],
        file: 'application/x-ndjson',
      },
      async ({ session, head }) => {
        const { after, limit } = checkQuery(ExportQuery, head.query);
        const { tenantId } = session.tenant;
        const atOnce = limit === undefined ? ACTS_AT_ONCE : Number(limit);
        const first = await store.actsAfter(tenantId, Number(after), atOnce);
        const { headers, body } = ndjson(first);
        const disposition = 'attachment; filename="activity.ndjson"';
        return {
          file: {
            status: 200,
            headers: { ...headers, 'content-disposition': disposition },
            body: limit === undefined ? wholeActivity(store, tenantId, first) : body,
          },
        };
      },
    ),
    {
      method: 'GET',
      path: '/v1/operator/activity',
      description: {
        group: 'For operators',
        summary: 'Activity of all accounts',
        access: 'operator',
        query: [
          {
            name: 'after',
            description: 'seq of the last one that is known.',
            schema: { type: 'string', pattern: SEQ.source },
          },
          { name: 'limit', description: '1 to 1000.', schema: { type: 'string', pattern: LIMIT.source } },
          { name: 'format', description: 'Default ndjson.', schema: { enum: FORMATS } },
        ],
        success: {
          200: {
            description: 'A line for each act, or logs of OpenTelemetry.',
            mediaTypes: ['application/x-ndjson', 'application/json'],
            schema: OTLP_LOGS,
          },
        },
        errors: ['NOT_FOUND'],
      },
      admit: async (head) => {
        if (gate === null) {
          throw new ServiceError({ code: 'NOT_FOUND', message: 'OPERATOR_TOKEN_FILE is not set on this dashboard' });
        }
        await gate(head);
      },
      handler: async ({ query }) => {
        const { after, limit, format } = checkQuery(OperatorQuery, query);
        const acts = await store.actsAfter(null, Number(after), Number(limit ?? ACTS_AT_ONCE));
        if (format === 'ndjson') return ndjson(acts);
        return ok(otlpLogs('execution-certification-dashboard', 'activity', acts.map(eventOf)));
      },
    },
  ];
}

/** The lines of an account's acts, from those that are read. */
async function* wholeActivity(
  store: Pick<Store, 'actsAfter'>,
  tenantId: string,
  first: readonly AccountAct[],
): AsyncGenerator<string> {
  let acts = first;
  for (let last = acts.at(-1); last !== undefined; last = acts.at(-1)) {
    yield acts.map((act) => `${JSON.stringify(act)}\n`).join('');
    acts = acts.length < ACTS_AT_ONCE ? [] : await store.actsAfter(tenantId, last.seq, ACTS_AT_ONCE);
  }
}

function eventOf({ seq, tenantId, at, actor, act, subject }: AccountAct): LogEvent {
  return { at, name: act, attributes: { seq, tenantId, actor, subject } };
}
