import { jsonText } from '../handler/handler.js';
import { openApiDocument, type DocumentOptions } from './openapi-document.js';
import type { Described, RouteDescription } from './route-description.js';
import { free } from './schemas.js';

type DocumentRoute = Described<RouteDescription<'public', never>>;

/** The description of the route of a service's document. @param group of the route in the document */
export function documentRow(group: string): Omit<DocumentRoute, 'handler'> {
  return {
    method: 'GET',
    path: '/openapi.json',
    cors: 'public',
    description: {
      group,
      summary: 'This description',
      access: 'public',
      success: {
        200: { description: 'An OpenAPI 3.1 document.', schema: free('See https://spec.openapis.org/oas/v3.1.0.') },
      },
    },
  };
}

/** The route that describes `routes` and itself, from their `description`. */
export function openApiRoute<Who, Code extends string>(
  group: string,
  options: DocumentOptions<Who | 'public', Code>,
  routes: readonly Described<RouteDescription<Who | 'public', Code>>[],
): DocumentRoute {
  const row = documentRow(group);
  const text = JSON.stringify(openApiDocument(options, [...routes, row]));
  return { ...row, handler: async () => jsonText(200, text) };
}
