import type { Logger } from '@cer/http-service/process';
import type { Tracing } from './tracing.js';

export interface TracingVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly OTEL_TRACES_EXPORTER: 'otlp' | 'none';
  readonly OTEL_SDK_DISABLED: boolean;
}

/** The receiver of spans according to OpenTelemetry's variables; null: tracing is off. */
export function tracesUrlOf(env: TracingVariables): string | null {
  if (env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return null;
  if (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined) return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint === undefined ? null : `${endpoint}/v1/traces`;
}

/**
 * Null when tracing is off; OpenTelemetry is then not loaded.
 * @param tracesUrl `tracesUrlOf`
 * @see docs/spec.md, "Tracing"
 */
export async function openTracing(tracesUrl: string | null, version: string, logger: Logger): Promise<Tracing | null> {
  if (tracesUrl === null) return null;
  const { otlpTracing } = await import('./otlp-trace.js');
  const { trace, close } = otlpTracing(tracesUrl, version, logger);
  return {
    trace,
    close: async () => {
      try {
        await close();
      } catch (error) {
        logger.warn({ err: error }, 'the last spans could not be sent');
      }
    },
  };
}
