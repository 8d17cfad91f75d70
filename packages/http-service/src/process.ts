/** A service as a process: start, server, log, metrics, traces, and errors for its operator. */
export { isForOperator, OperatorError } from './errors/operator-error.js';
export { asksForHelp } from './process/asks-for-help.js';
export { newKeyPair } from './process/key-pair.js';
export { packageVersion } from './process/package-version.js';
export { lowerPriority } from './process/priority.js';
export { repeat, type Repeating } from './process/repeat.js';
export { runProgram } from './process/run-program.js';
export { runService } from './process/run-service.js';
export { DRAIN_TIMEOUT_MS, refuseTakenAddress, serve, type RunningServer } from './process/serve.js';
export { createLogger, silentLogger, type Logger } from './telemetry/logger.js';
export { outageLog, type OutageLog } from './telemetry/outage-log.js';
export { createMetrics, metricsHandler, type Metrics } from './telemetry/metrics.js';
export { untraced, type Trace } from './telemetry/trace.js';
