import { describe, expect, it } from '@jest/globals';
import { otlpLogs } from './otlp-logs.js';

describe('events as OTLP logs', () => {
  it('have nanoseconds and 64-bit numbers as strings', () => {
    const event = {
      at: '2026-11-22T12:00:00.123Z',
      name: 'records.hide',
      attributes: { seq: 7, actor: 'é', target: null },
    };
    expect(otlpLogs('node', 'audit', [event])).toEqual({
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'node' } }] },
          scopeLogs: [
            {
              scope: { name: 'audit' },
              logRecords: [
                {
                  timeUnixNano: '1795348800123000000',
                  severityNumber: 9,
                  severityText: 'INFO',
                  eventName: 'records.hide',
                  body: { stringValue: 'records.hide' },
                  attributes: [
                    { key: 'seq', value: { intValue: '7' } },
                    { key: 'actor', value: { stringValue: 'é' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
