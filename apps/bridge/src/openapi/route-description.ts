import type { Described, RouteDescription, Success } from '@cer/http-service/openapi';
import type { BridgeCode } from '../errors.js';

/** Required access: an API key, the session of a person, a page of this bridge that sends the request, or none. */
export type Access = 'key' | 'session' | 'own page' | 'public';

/** A route with what the OpenAPI document says of it. */
export type DescribedRoute = Described<RouteDescription<Access, BridgeCode>>;

/** A page; its refusals are pages too. */
export function page(summary: string, more: Readonly<Record<number, Success>> = {}): DescribedRoute['description'] {
  const refused = { description: 'A page with the reason.', mediaTypes: ['text/html'] };
  return {
    group: 'Pages',
    summary,
    access: 'session',
    success: {
      200: { description: 'A page.', mediaTypes: ['text/html'] },
      ...more,
      400: refused,
      500: refused,
      503: refused,
    },
  };
}
