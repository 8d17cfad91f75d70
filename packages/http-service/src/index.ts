export { arrivedBody } from './arrived-body.js';
export * from './bearer.js';
export { clientAddress, parseTrustedProxies, ProxyListError, type TrustedProxies } from './client-address.js';
export { networkOf } from './client-network.js';
export * from './config.js';
export * from './error-handler.js';
export * from './handler.js';
export { createLogger, LOG_LEVELS, silentLogger, type Logger, type LoggerOptions, type LogLevel } from './logger.js';
export * from './metrics.js';
export * from './parse-request.js';
export { ClientGone } from './read-body.js';
export { PUBLIC_CORS_HEADERS, SECURITY_HEADERS } from './response-headers.js';
export {
  createRouter,
  expressErrorHandler,
  expressNotFoundPage,
  frontDoor,
  mount,
  type Route,
  type RouteMethod,
  type Router,
  type RouterOptions,
} from './route.js';
export { runService, type ServiceProcess } from './run-service.js';
export { equalSecret, readSecretFile, Secret, SecretFileError } from './secret.js';
export * from './serve.js';
export * from './service-error.js';
export { untraced, type IncomingTrace, type Note, type SpanAttributes, type Trace } from './trace.js';
export { withinTime } from './within-time.js';
export { zodFaults } from './zod-faults.js';
