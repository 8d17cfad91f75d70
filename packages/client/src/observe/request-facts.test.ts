import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { factsOf } from './request-facts.js';

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('the facts of a request', () => {
  it('are its model, its parameters and its canonical hash', () => {
    expect(factsOf('{"model":"m","max_tokens":7,"a":1}', '1.3.0')).toEqual({
      model: 'm',
      parameters: { maxTokens: 7 },
      input: null,
      inputHash: sha256('{"a":1,"max_tokens":7,"model":"m"}'),
    });
  });

  it.each(['not JSON', '{"a":1,"a":2}', '7'])('are those of the text for a non-strict body: %s', (body) => {
    expect(factsOf(body, '1.3.0')).toMatchObject({ model: 'unknown', inputHash: sha256(body) });
  });

  it('have the model of a body with integers that a double does not hold', () => {
    const body = '{"model":"m","max_tokens":7,"seed":12345678901234567891,"a":[9007199254740993]}';
    expect(factsOf(body, '1.3.0')).toEqual({
      model: 'm',
      parameters: { maxTokens: 7 },
      input: null,
      inputHash: sha256(body),
    });
  });

  it('keep an input that will be a commitment', () => {
    expect(factsOf('{"model":"m"}', '1.3.1')).toMatchObject({ input: { model: 'm' }, inputHash: null });
  });

  it('keep an input without a canonical form as text', () => {
    const input = { a: '\ud800' };
    expect(factsOf('{"a":"\\ud800"}', '1.3.0')).toMatchObject({ input, inputHash: null });
  });
});
