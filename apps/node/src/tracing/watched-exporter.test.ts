import { expect, it } from '@jest/globals';
import { recordedLog } from '@cer/http-service/testing';
import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

import { watchedExporter } from './watched-exporter.js';

it('logs the number of lost spans once per minute', () => {
  const { logger, lines } = recordedLog();
  let time = 0;
  let code = ExportResultCode.FAILED;
  const answers: ExportResultCode[] = [];
  const inner: SpanExporter = {
    export: (_spans, done) => {
      done({ code, error: new TypeError('canary') });
    },
    shutdown: async () => undefined,
  };
  const exporter = watchedExporter(inner, logger, () => time);
  const send = (spans: number): void => {
    exporter.export(Array.from<ReadableSpan>({ length: spans }), (result) => answers.push(result.code));
  };
  send(2);
  send(3);
  time = 59_999;
  send(4);
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', lost: 2, err: expect.objectContaining({ type: 'TypeError' }) }),
  ]);
  time = 60_000;
  code = ExportResultCode.SUCCESS;
  send(1);
  expect(lines).toHaveLength(1);
  code = ExportResultCode.FAILED;
  send(5);
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ lost: 12 });
  expect(answers).toHaveLength(5);
  expect(lines.join('')).not.toContain('canary');
});
