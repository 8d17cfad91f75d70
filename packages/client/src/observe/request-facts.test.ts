import { createHash } from 'node:crypto';
import { describe, expect, it, jest } from '@jest/globals';
import { factsLater } from './request-facts.js';

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const never = (): Promise<void> => new Promise(() => undefined);

describe('the facts of a request', () => {
  it('are its model, its parameters and the hash of its canonical form', () => {
    expect(factsLater('{"model":"m","max_tokens":7,"a":1}', '1.3.0', never)()).toEqual({
      model: 'm',
      parameters: { maxTokens: 7 },
      input: null,
      inputHash: sha256('{"a":1,"max_tokens":7,"model":"m"}'),
    });
  });

  it.each(['not JSON', '{"a":1,"a":2}', '7'])(
    'of a body that is not a strict object are those of its text: %s',
    (body) => {
      expect(factsLater(body, '1.3.0', never)()).toMatchObject({ model: 'unknown', inputHash: sha256(body) });
    },
  );

  it('keep an input that will be a commitment', () => {
    expect(factsLater('{"model":"m"}', '1.3.1', never)()).toMatchObject({ input: { model: 'm' }, inputHash: null });
  });

  it('keep an input without a canonical form, which is sealed as text', () => {
    const input = { a: '\ud800' };
    expect(factsLater('{"a":"\\ud800"}', '1.3.0', never)()).toMatchObject({ input, inputHash: null });
  });

  it('are read in the turn after the request, or when they are asked for before', async () => {
    const turns: (() => void)[] = [];
    const turn = (): Promise<void> => new Promise((resolve) => turns.push(resolve));
    const parse = jest.spyOn(JSON, 'parse');
    try {
      const asked = factsLater('{}', '1.3.0', turn);
      factsLater('{}', '1.3.0', turn);
      expect(parse).toHaveBeenCalledTimes(0);
      expect(asked()).toBe(asked());
      expect(parse).toHaveBeenCalledTimes(1);
      for (const resolve of turns) resolve();
      await Promise.resolve();
      expect(parse).toHaveBeenCalledTimes(2);
    } finally {
      parse.mockRestore();
    }
  });
});
