/** One event for a log collector. */
export interface LogEvent {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly name: string;
  /** Null: left out. */
  readonly attributes: Readonly<Record<string, string | number | null>>;
}

const INFO = 9;
const NANOSECONDS_A_MILLISECOND = 1_000_000n;

/**
 * Events as an OTLP/JSON `ExportLogsServiceRequest`, which a collector takes at `/v1/logs`.
 * @param service the resource's `service.name`
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
export function otlpLogs(service: string, scope: string, events: readonly LogEvent[]): unknown {
  const logRecords = events.map(({ at, name, attributes }) => ({
    // 64-bit integers are strings in this encoding.
    timeUnixNano: String(BigInt(Date.parse(at)) * NANOSECONDS_A_MILLISECOND),
    severityNumber: INFO,
    severityText: 'INFO',
    eventName: name,
    body: { stringValue: name },
    attributes: Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [attribute(key, value)])),
  }));
  const resource = { attributes: [attribute('service.name', service)] };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: scope }, logRecords }] }] };
}

function attribute(key: string, value: string | number): unknown {
  return { key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } };
}
