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
