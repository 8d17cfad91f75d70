import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OtlpError, type Span } from '../../../apps/bridge/src/ingest/otlp/spans/span.js';
import { decodeProtobuf } from '../../../apps/bridge/src/ingest/otlp/wire/decode-protobuf.js';
import { mutated, mutations, oracleRuns, OutcomeCounts } from './oracle.js';
import { encodeRequest, requests, spansByProtobufjs } from './otlp-messages.js';

// The bridge's decoder of OpenTelemetry exports against protobufjs.

/** Rules by which the bridge refuses what a reader of protobuf may read: groups, other wire types, its own limits. */
const STRICTER = /unknown layout|another layout|nested deeper|must be at most/;
/** A known fault of protobufjs: it skips a number of more than ten bytes in an unknown field. */
const LENIENT = /a number that does not end/;

const counts = new OutcomeCounts();
const { seed, numRuns } = oracleRuns(1500);
afterAll(() => {
  counts.report('OTLP: protobufjs', seed);
});

const ours = (bytes: Buffer): readonly Span[] | OtlpError => {
  try {
    return decodeProtobuf(bytes, 10_000);
  } catch (error) {
    if (error instanceof OtlpError) return error;
    throw error;
  }
};

const theirs = (bytes: Buffer): readonly Span[] | null => {
  try {
    return spansByProtobufjs(bytes);
  } catch {
    return null;
  }
};

function compare(bytes: Buffer): void {
  const [mine, other] = [ours(bytes), theirs(bytes)];
  if (!(mine instanceof OtlpError)) {
    expect(mine).toEqual(other);
    counts.add('read alike');
  } else if (STRICTER.test(mine.message)) counts.add('refused by a stricter rule');
  else if (LENIENT.test(mine.message) && other !== null) counts.add('refused here, a fault there');
  else {
    expect({ message: mine.message, theirs: other }).toEqual({ message: mine.message, theirs: null });
    counts.add('refused by both');
  }
}

describe('an export of spans', () => {
  it('is read as protobufjs reads it', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const bytes = encodeRequest(request);
        expect(ours(bytes)).toEqual(theirs(bytes));
        counts.add('generated, read alike');
      }),
      { numRuns: numRuns / 3, seed },
    );
  });

  it('is read or refused alike with changed bytes', () => {
    const cases = fc.tuple(requests, fc.array(mutations, { minLength: 6, maxLength: 6 }));
    fc.assert(
      fc.property(cases, ([request, changes]) => {
        const bytes = encodeRequest(request);
        for (const some of changes) compare(mutated(bytes, some));
      }),
      { numRuns, seed },
    );
    expect(counts.of('read alike')).toBeGreaterThan(0);
    expect(counts.of('refused by both')).toBeGreaterThan(0);
  });
});
