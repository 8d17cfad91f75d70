import type { DescribedRoute } from '../openapi/route-description.js';
import { completenessRoute, type CompletenessRouteDeps } from './completeness-route.js';
import { proofRoute, type ProofRouteDeps } from './proof-route.js';
import { statementRoute, type StatementRouteDeps } from './statement-route.js';
import { tileRoutes, type TileRouteDeps } from './tile-routes.js';

export type LogRouteDeps = TileRouteDeps & ProofRouteDeps & StatementRouteDeps & CompletenessRouteDeps;

/** Everything that the log shows. @see docs/spec.md, "Transparency log" */
export function logRoutes(deps: LogRouteDeps): DescribedRoute[] {
  return [...tileRoutes(deps), proofRoute(deps), statementRoute(deps), completenessRoute(deps)];
}
