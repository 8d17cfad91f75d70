import type { Stats } from './stats.js';

/** An instrument of OpenTelemetry that is read when metrics are collected. */
interface Instrument {
  addCallback(callback: never): void;
}

type Attributes = Readonly<Record<string, string>>;
type Create = (name: string, options: { readonly description: string; readonly unit: string }) => Instrument;

interface Readings {
  observe(instrument: Instrument, value: number, attributes?: Attributes): void;
}

/** The parts of a meter of `@opentelemetry/api` that are used. */
export interface Meter {
  readonly createObservableCounter: Create;
  readonly createObservableUpDownCounter: Create;
  readonly createObservableGauge: Create;
  addBatchObservableCallback(callback: (readings: Readings) => void, instruments: Instrument[]): void;
}

interface Metric {
  readonly name: string;
  readonly kind: 'createObservableCounter' | 'createObservableUpDownCounter' | 'createObservableGauge';
  readonly description: string;
  readonly unit: string;
  readonly values: (stats: Stats) => readonly (readonly [value: number, attributes?: Attributes])[];
}

const METRICS: readonly Metric[] = [
  {
    name: 'cer.client.calls',
    kind: 'createObservableCounter',
    description: 'Calls of models and tools that have ended, by whether they have a certificate',
    unit: '{call}',
    values: ({ sealed, skipped, unsealed, dropped }) => by('result', { sealed, skipped, unsealed, dropped }),
  },
  {
    name: 'cer.client.open_calls',
    kind: 'createObservableUpDownCounter',
    description: 'Calls that are under way',
    unit: '{call}',
    values: ({ open }) => [[open]],
  },
  {
    name: 'cer.client.outcomes',
    kind: 'createObservableCounter',
    description: 'Calls that have a certificate, by how they ended',
    unit: '{call}',
    values: ({ outcomes }) => by('outcome', outcomes),
  },
  {
    name: 'cer.client.answers',
    kind: 'createObservableCounter',
    description: 'Sealed bundles by the answer of the node',
    unit: '{certificate}',
    values: ({ attested, projects, dead }) => by('result', { attested, registered: projects, refused: dead }),
  },
  {
    name: 'cer.client.spool.waiting',
    kind: 'createObservableUpDownCounter',
    description: 'Sealed bundles that wait for a node',
    unit: '{certificate}',
    values: ({ waiting }) => [[waiting]],
  },
  {
    name: 'cer.client.spool.size',
    kind: 'createObservableUpDownCounter',
    description: 'Size of the sealed bundles that wait for a node',
    unit: 'By',
    values: ({ waitingBytes }) => [[waitingBytes]],
  },
  {
    name: 'cer.client.spool.age',
    kind: 'createObservableGauge',
    description: 'Time since the oldest bundle that waits was sealed; 0 when none waits',
    unit: 's',
    values: ({ oldestMs }) => [[(oldestMs ?? 0) / 1000]],
  },
  {
    name: 'cer.client.errors',
    kind: 'createObservableCounter',
    description: 'Faults of the observer',
    unit: '{error}',
    values: ({ errors }) => [[errors]],
  },
];

function by(attribute: string, counts: Readonly<Record<string, number>>): [number, Attributes][] {
  return Object.entries(counts).map(([name, count]) => [count, { [attribute]: name }]);
}

/** Gives the counts to a meter each time it collects, also after the client closed: the last ones are collected then. */
export function meterStats(meter: Meter, stats: () => Stats): void {
  const metrics = METRICS.map(({ name, kind, description, unit, values }) => ({
    instrument: meter[kind](name, { description, unit }),
    values,
  }));
  const instruments = metrics.map(({ instrument }) => instrument);
  const read = (readings: Readings): void => {
    const found = stats();
    for (const { instrument, values } of metrics) {
      for (const [value, attributes] of values(found)) readings.observe(instrument, value, attributes);
    }
  };
  meter.addBatchObservableCallback(read, instruments);
}
