import type { Described, RouteDescription } from '@cer/http-service/openapi';
import type { DashboardCode } from '../errors.js';

/**
 * Required access: the credential of services or of operators, the session of a person, a form of this dashboard with
 * its token, or none.
 */
export type Access = 'service' | 'operator' | 'session' | 'form' | 'public';

/** A route with what the OpenAPI document says of it. */
export type DescribedRoute = Described<RouteDescription<Access, DashboardCode>>;
