import { describe, expect, it } from '@jest/globals';
import { isJsonObject, member, type JsonObject, type JsonValue } from '@cer/canonical-json';
import { certified } from '@cer/cer-core/testing';
import { evaluateCer } from '@cer/cer-core/verify';
import { shownMembers, shownSignals } from './shown-members.js';

const VERIFIED = { keySet: null, verifiedAt: '2026-01-03T00:00:00.000Z' };

/** The certificate with another payload of its signal. */
function withPayload(cer: JsonObject, payload: JsonValue): JsonObject {
  const context = member(cer, 'context');
  return {
    ...cer,
    context: { ...(isJsonObject(context) ? context : {}), signals: [{ type: 't', source: 's', payload }] },
  };
}

describe('JSON that a page shows', () => {
  it.each<[string, JsonValue]>([
    ['nothing', null],
    ['empty', { list: [], object: {}, text: '' }],
    ['nested', [{ 'a "name"': [1, -0.5, true, null, ['x', {}]], é: { b: ['line\nbreak'] } }, []]],
    ['long', Array.from({ length: 1000 }, (_, at) => ({ at }))],
    ['as long as a text may be', 'x'.repeat(3998)],
  ])('is indented and clipped: %s', async (_, payload) => {
    const cer = await certified({ signals: [{ type: 't', source: 's', payload: {} }] });
    const evaluation = await evaluateCer(cer, VERIFIED);
    const whole = JSON.stringify(payload, null, 2);
    const text = whole.length <= 4000 ? whole : `${whole.slice(0, 4000)}…`;
    expect(shownSignals(withPayload(cer, payload), evaluation)).toEqual([{ type: 't', source: 's', payload: text }]);
  });

  it('may be too deep to be indented whole', async () => {
    const cer = await certified({ signals: [{ type: 't', source: 's', payload: {} }] });
    const evaluation = await evaluateCer(cer, VERIFIED);
    let payload: JsonValue = Array.from({ length: 3_500_000 }, () => 0);
    for (let depth = 0; depth < 85; depth += 1) payload = [payload];
    const [signal] = shownSignals(withPayload(cer, payload), evaluation);
    expect(signal?.payload).toHaveLength(4001);
  });

  it('is the value of a member', async () => {
    const cer = await certified({ parameters: { temperature: 0 } });
    const shown = shownMembers(cer, await evaluateCer(cer, VERIFIED));
    expect(shown).toContainEqual({ path: 'snapshot.parameters', value: '{\n  "temperature": 0\n}', kind: 'json' });
  });
});
