import { describe, expect, it } from '@jest/globals';
import { filterFaults, nodeQueries, readQuestion, typedQuestion } from './record-filter.js';

const queriesOf = (search: string): readonly string[] =>
  nodeQueries(readQuestion(new URLSearchParams({ search, model: 'm' }))).map(String);

describe('a search', () => {
  const digits = 'aB'.repeat(32);

  it('for a hash also finds an executionId of the same text', () => {
    expect(queriesOf(digits)).toEqual([
      `model=m&certificate_hash=sha256%3A${digits.toLowerCase()}`,
      `model=m&project_hash=sha256%3A${digits.toLowerCase()}`,
      `model=m&execution_id=${digits}`,
    ]);
  });

  it('for other text asks for an executionId alone', () => {
    expect(queriesOf('call-1')).toEqual(['model=m&execution_id=call-1']);
  });

  it('that is too long is not cut, since it would find another record', () => {
    const search = 'x'.repeat(257);
    expect(filterFaults(typedQuestion(new URLSearchParams({ search })))).toEqual([
      { field: 'search', sentence: 'Search must have at most 256 characters.' },
    ]);
  });
});

describe('a time', () => {
  it.each([
    'attested_from=2026-01-31',
    'attested_from=2026-01-31T10:00:00%2B01:00&attested_to=2026-01-31T09:00:00.001Z',
    'attested_from=2026-01-30&attested_to=2026-01-31',
  ])('that the node reads has no fault: %s', (query) => {
    expect(filterFaults(typedQuestion(new URLSearchParams(query)))).toEqual([]);
  });

  it('that is the start of the same moment in another zone finds nothing, which is a fault', () => {
    const query = 'attested_from=2026-01-31T10:00:00%2B01:00&attested_to=2026-01-31T09:00:00Z';
    expect(filterFaults(typedQuestion(new URLSearchParams(query)))).toEqual([
      { field: 'attested_to', sentence: 'Before must be later than From.' },
    ]);
  });
});
