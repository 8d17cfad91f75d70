export { documentRow, openApiRoute } from './openapi/document-route.js';
export {
  openApiDocument,
  type DocumentOptions,
  type OpenApiDocument,
  type Operation,
} from './openapi/openapi-document.js';
export { COUNT, free, object, OTLP_LOGS, TEXT, TEXT_OR_NULL } from './openapi/schemas.js';
export type {
  Access,
  Described,
  JsonSchema,
  Parameter,
  RouteDescription,
  Success,
} from './openapi/route-description.js';
