import { accessOf, type NodeClientOptions } from './node-api/access.js';
import { createNodeApi, type NodeApi } from './node-api/node-api.js';

/** The routes of a node, without observers and without a spool. */
export type { NodeClientOptions } from './node-api/access.js';
export type { RecordFilter } from './node-api/answers.js';
export type { NodeApi } from './node-api/node-api.js';
export { NodeError, type NodeFailure } from './node-api/node-error.js';
export type { BatchLines, BatchRoute, LineResult } from './node-api/lines.js';
export type { NodeAnswer, NodeQuestion, RequestOptions } from './node-api/request.js';
export type { RouteName } from './node-api/routes.js';
export type { AnswerHeaders, Transport, TransportAnswer, TransportRequest } from './node-api/transport.js';

/** Calls a node; `cer.node` of `certificates` is the same. */
export function createNodeClient(options: NodeClientOptions): NodeApi {
  return createNodeApi(accessOf(options));
}
