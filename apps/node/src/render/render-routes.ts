import { ServiceError, type Route } from '@cer/http-service';
import type { Gate } from '../auth/authenticate.js';

/** The render routes of a node without a renderer. @see docs/spec.md, "POST /api/render" */
export function renderRoutes(gate: Gate): Route[] {
  const unavailable = async (): Promise<never> => {
    throw new ServiceError({ code: 'RENDERER_UNAVAILABLE', message: 'this node has no renderer' });
  };
  return ['/api/render', '/verify'].map((path) => ({
    method: 'POST',
    path,
    admit: gate.admit('render'),
    mediaTypes: ['application/json'],
    handler: unavailable,
  }));
}
