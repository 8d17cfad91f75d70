import { afterEach, describe, expect, it } from '@jest/globals';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

import type { Meter } from '../src/index.js';
import { COMPLETION, sendJson } from './model-server.js';
import { ObservedProgram } from './observed-program.js';

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {
    // Nothing is kept.
  }
  protected override async onShutdown(): Promise<void> {
    // Nothing is kept.
  }

  /** The value of each metric, with its attributes. */
  async values(): Promise<Record<string, number>> {
    const { resourceMetrics, errors } = await this.collect();
    expect(errors).toEqual([]);
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return Object.fromEntries(
      metrics.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => [
          [descriptor.name, ...Object.values(attributes)].join(' '),
          Number(value),
        ]),
      ),
    );
  }
}

let program: ObservedProgram;
afterEach(async () => program.end());

describe('the counts as metrics of OpenTelemetry', () => {
  it('are those of stats, also when the client closed', async () => {
    const reader = new Reader();
    const meter = new MeterProvider({ readers: [reader] }).getMeter('app');
    program = await ObservedProgram.start(
      (_, response) => {
        sendJson(response, COMPLETION);
      },
      { meter, certify: ({ url }) => !url.startsWith('tool:') },
    );
    expect((await reader.values())['cer.client.calls sealed']).toBe(0);

    const url = `${program.server.url}/v1/chat/completions`;
    await (await program.cer.fetch()(url, { method: 'POST', body: '{"model":"example-1"}' })).text();
    program.cer.tool('weather', () => 'clear')();
    const before = program.cer.stats();
    const values = await reader.values();
    const { waitingBytes, errors } = program.cer.stats();
    expect(waitingBytes).toBeGreaterThan(100);
    expect(values).toMatchObject({
      'cer.client.calls sealed': 1,
      'cer.client.calls skipped': 1,
      'cer.client.calls unsealed': 0,
      'cer.client.calls dropped': 0,
      'cer.client.open_calls': 0,
      'cer.client.outcomes complete': 1,
      'cer.client.outcomes failed': 0,
      'cer.client.answers attested': 0,
      'cer.client.answers registered': 0,
      'cer.client.answers refused': 0,
      'cer.client.spool.waiting': 1,
      'cer.client.spool.size': waitingBytes,
    });
    // The node that is not there is a fault, at any time.
    expect(values['cer.client.errors']).toBeGreaterThanOrEqual(before.errors);
    expect(values['cer.client.errors']).toBeLessThanOrEqual(errors);
    expect(values['cer.client.spool.age']).toBeGreaterThan(0);

    await program.cer.close({ timeoutMs: 0 });
    expect((await reader.values())['cer.client.errors']).toBe(program.cer.stats().errors);
  });

  it('leave the program as it was where a meter fails', async () => {
    const meter = (await import('@opentelemetry/api')).metrics.getMeter('none');
    const broken: Meter = {
      ...meter,
      createObservableCounter: () => {
        throw new Error('metric values must be numbers');
      },
    };
    program = await ObservedProgram.start(() => undefined, { meter: broken });
    expect(program.observerFaults().map(String)).toEqual(['Error: metric values must be numbers']);
    expect(program.cer.stats().errors).toBe(1);
  });
});
