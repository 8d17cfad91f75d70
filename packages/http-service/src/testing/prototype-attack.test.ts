import { afterEach, describe, expect, it } from '@jest/globals';
import { hostileForm, hostileJson, pollutedKinds } from './prototype-attack.js';

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'polluted');
});

/** As careless code does it. */
function merge(into: object, from: object): void {
  for (const [name, value] of Object.entries(from) as [string, unknown][]) {
    const held: unknown = Reflect.get(into, name);
    const isContainer = (typeof held === 'object' || typeof held === 'function') && held !== null;
    if (isContainer && typeof value === 'object' && value !== null) merge(held, value);
    else Reflect.set(into, name, value);
  }
}

describe('an attack on prototypes', () => {
  it.each([{}, { list: [{ a: 1 }] }, [{ a: null }]])('succeeds against a careless merge: %j', (value) => {
    expect(pollutedKinds()).toEqual([]);
    merge(Array.isArray(value) ? [{}] : {}, JSON.parse(hostileJson(value)) as object);
    expect(pollutedKinds()).toContain('object');
  });

  it("keeps the members of the value and the form's fields", () => {
    expect(JSON.parse(hostileJson({ a: [{ b: 'c' }], d: null }))).toMatchObject({ a: [{ b: 'c' }], d: null });
    const fields = new URLSearchParams(hostileForm({ name: 'a b' }));
    expect([fields.get('name'), fields.get('__proto__[polluted]')]).toEqual(['a b', '1']);
  });
});
