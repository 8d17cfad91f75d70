import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '@cer/http-service/process';

/** Minimum interval between log entries about an unreachable receiver. */
const SILENCE_MS = 60_000;

/** Wraps an exporter and logs lost spans, which OpenTelemetry does not report. */
export function watchedExporter(
  exporter: SpanExporter,
  logger: Pick<Logger, 'warn'>,
  nowMs: () => number = () => performance.now(),
): SpanExporter {
  let lost = 0;
  let silentUntil = Number.NEGATIVE_INFINITY;
  const noteLoss = (spans: number, error: Error | undefined): void => {
    lost += spans;
    if (nowMs() < silentUntil) return;
    logger.warn(
      { lost, err: error },
      'spans could not be sent: does the receiver of OTEL_EXPORTER_OTLP_ENDPOINT answer?',
    );
    lost = 0;
    silentUntil = nowMs() + SILENCE_MS;
  };
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) noteLoss(spans.length, result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush !== undefined && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
