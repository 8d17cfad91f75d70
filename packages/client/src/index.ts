/** Certificates for the model calls of a program. */
export {
  certificates,
  type AnthropicClient,
  type Certificates,
  type FetchingClient,
  type FetchOptions,
} from './certificates.js';
export type { SealedCall } from './calls/certified-answers.js';
export type { AiSdkTelemetry } from './frameworks/ai-sdk.js';
export type { AiSdkMiddleware } from './frameworks/ai-sdk-middleware.js';
export type { LangChainHandler } from './frameworks/langchain.js';
export type { AgentsProcessor } from './frameworks/openai-agents.js';
export type { Json, JsonMembers } from './json.js';
export type { Meter } from './metrics.js';
export type { Certified, ExecutionRequest, LookupKey, RecordFilter, RecordRow, Verified } from './node-api/answers.js';
export type { LineResult } from './node-api/lines.js';
export type { NodeApi } from './node-api/node-api.js';
export { NODE_ERROR_CODES, NodeError, type NodeErrorCode, type NodeFailure } from './node-api/node-error.js';
export type { RequestOptions } from './node-api/request.js';
export { NODE_ROUTES, type RouteName } from './node-api/routes.js';
export type { Outcome } from './outcome.js';
export type { ProjectOptions } from './calls/run-project.js';
export type {
  CertificatesOptions,
  CertifiedCall,
  CertifiedProject,
  ConfidentialOptions,
  ContentPart,
  Opened,
  Protocol,
  Redaction,
} from './settings.js';
export type { Stats } from './stats.js';
