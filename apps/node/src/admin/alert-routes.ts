import { checkQuery, ok } from '@cer/http-service';
import { DELIVERY_ANSWER, deliveryAnswer, deliveryIdOf, unknownDelivery } from '../alerts/delivery-answer.js';
import type { AuditLog } from '../audit-log/audit-log.js';
import type { AdminGate } from '../auth/admin-gate.js';
import { list, object } from '../openapi/answer-shapes.js';
import { queryOf } from '../openapi/request-schema.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import type { AlertStore } from '../store/index.js';
import { AuditQuery } from './audit-routes.js';
import { AUDITED } from './record-answers.js';

export interface AlertRouteDeps {
  readonly alerts: AlertStore;
  readonly adminGate: AdminGate;
  readonly auditLog: AuditLog;
  readonly now: () => Date;
}

const DELIVERIES_ANSWER = object({
  deliveries: list(DELIVERY_ANSWER),
  next: { type: ['integer', 'null'], description: 'The `after` of the next page; null at the end.' },
});

const DeliveriesQuery = AuditQuery.omit({ format: true });
/** The log of webhook deliveries. @see docs/spec.md, "Events" */
export function alertRoutes({ alerts, adminGate, auditLog, now }: AlertRouteDeps): DescribedRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/admin/alerts/deliveries',
      description: {
        group: 'Administration',
        summary: 'The deliveries of alerts to webhooks',
        access: 'admin',
        query: queryOf(DeliveriesQuery, {
          after: 'Deliveries after this seq.',
          limit: 'Deliveries a page, 1 to 1000.',
        }),
        success: { 200: { schema: DELIVERIES_ANSWER, description: 'Deliveries, oldest first, and where to go on.' } },
      },
      admit: adminGate.admit,
      handler: async ({ query }) => {
        const { after, limit } = checkQuery(DeliveriesQuery, query);
        const found = await alerts.deliveries(Number(after), Number(limit) + 1);
        const shown = found.slice(0, Number(limit));
        return ok({
          deliveries: shown.map(deliveryAnswer),
          next: found.length > shown.length ? (shown.at(-1)?.seq ?? null) : null,
        });
      },
    },
    {
      method: 'POST',
      path: '/v1/admin/alerts/deliveries/:id/send',
      description: {
        group: 'Administration',
        summary: 'Send an alert again',
        access: 'admin',
        body: { schema: { type: 'object' }, optional: true },
        success: { 200: { schema: object(AUDITED), description: 'It is sent in the next seconds.' } },
        errors: ['NOT_FOUND', 'ATTESTATION_ERROR'],
      },
      admit: adminGate.admit,
      mediaTypes: ['application/json'],
      handler: async (request) => {
        const id = deliveryIdOf(request, 'id');
        const auditSeq = await auditLog.append({
          act: 'alerts.send',
          target: id,
          actor: adminGate.actorOf(request),
          requestId: request.requestId,
          details: {},
        });
        if (!(await alerts.sendAgain('operator', id, now().getTime()))) throw unknownDelivery();
        return ok({ ok: true, auditSeq });
      },
    },
  ];
}
