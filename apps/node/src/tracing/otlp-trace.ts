import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger, Trace } from '@cer/http-service/process';
import type { Tracing } from './tracing.js';
import { watchedExporter } from './watched-exporter.js';

const SERVICE = 'execution-certification-node';
const SERVER_FAULT = 500;

/**
 * Spans, sent in the background to an OTLP receiver (HTTP, JSON). Only this file imports OpenTelemetry, and it is
 * loaded only when tracing is on.
 * @param url receiver of spans, e.g. `http://127.0.0.1:4318/v1/traces`
 */
export function otlpTracing(url: string, version: string, logger: Pick<Logger, 'warn'>): Tracing {
  return tracingTo(watchedExporter(new OTLPTraceExporter({ url }), logger), version);
}

/** Nothing is registered globally: two nodes in one process have separate tracing. */
export function tracingTo(exporter: SpanExporter, version: string): Tracing {
  const stated = detectResources({ detectors: [envDetector] });
  const named = resourceFromAttributes({ 'service.name': SERVICE, 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(named).merge(stated),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(SERVICE, version);
  const propagator = new W3CTraceContextPropagator();
  const active = new AsyncLocalStorage<Context>();

  const run: Trace = async (name, attributes, work, incoming) => {
    const outer = active.getStore();
    const parent = outer ?? propagator.extract(ROOT_CONTEXT, incoming ?? {}, defaultTextMapGetter);
    const kind = outer === undefined ? SpanKind.SERVER : SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { attributes, kind }, parent);
    try {
      return await active.run(trace.setSpan(parent, span), () =>
        work((noted) => {
          span.setAttributes(noted);
          const status = noted['http.response.status_code'];
          if (typeof status === 'number' && status >= SERVER_FAULT) span.setStatus({ code: SpanStatusCode.ERROR });
        }),
      );
    } catch (error) {
      // Only the class name: a message may quote the request.
      span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };
  return { trace: run, close: () => provider.shutdown() };
}
