import { describe, expect, it } from '@jest/globals';
import { createRenderUse } from './render-use.js';

describe('render use', () => {
  it('counts running jobs and halves ended ones each minute', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'loop');
    nowMs = 8000;
    expect([use.usedMs('a'), use.usedMs('b')]).toEqual([8000, 0]);
    end();
    end();
    nowMs += 60_000;
    expect(use.usedMs('a')).toBe(4000);
    use.begin('a', 'still');
    nowMs += 60_000;
    expect(use.usedMs('a')).toBe(2000 + 60_000);
  });

  it('knows slow stills while they run and for five minutes', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'still');
    nowMs = 2999;
    expect(use.isSlow('a')).toBe(false);
    nowMs = 3000;
    expect(use.isSlow('a')).toBe(true);
    end();
    nowMs += 299_999;
    expect(use.isSlow('a')).toBe(true);
    nowMs += 1;
    expect(use.isSlow('a')).toBe(false);
  });

  it('calls no tenant slow for a long loop', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'loop');
    nowMs = 60_000;
    expect(use.isSlow('a')).toBe(false);
    end();
    expect(use.isSlow('a')).toBe(false);
  });

  it('counts reported processor time without the wait for a core', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const spent = { hang: 0, victim: 0 };
    const endHang = use.begin('hangs', 'still', { cpuMs: () => spent.hang, isTimedOut: () => false });
    const endVictim = use.begin('waits', 'still', { cpuMs: () => spent.victim, isTimedOut: () => false });
    nowMs = 14_000;
    [spent.hang, spent.victim] = [3000, 400];
    expect([use.usedMs('hangs'), use.usedMs('waits')]).toEqual([3000, 400]);
    expect([use.isSlow('hangs'), use.isSlow('waits')]).toEqual([true, false]);
    endHang();
    endVictim();
    expect([use.usedMs('hangs'), use.usedMs('waits')]).toEqual([3000, 400]);
    expect([use.isSlow('hangs'), use.isSlow('waits')]).toEqual([true, false]);
  });

  it('counts wall-clock time where the system reports none', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    const end = use.begin('a', 'still', { cpuMs: () => undefined, isTimedOut: () => false });
    nowMs = 3000;
    expect([use.usedMs('a'), use.isSlow('a')]).toEqual([3000, true]);
    end();
    expect([use.usedMs('a'), use.isSlow('a')]).toEqual([3000, true]);
  });

  it('counts a starved still that timed out as slow', () => {
    const use = createRenderUse(3000, () => 15_000);
    use.begin('starved', 'still', { cpuMs: () => 900, isTimedOut: () => true })();
    use.begin('loops', 'loop', { cpuMs: () => 900, isTimedOut: () => true })();
    expect([use.isSlow('starved'), use.isSlow('loops')]).toEqual([true, false]);
  });

  it('forgets the tenant that was longest without a job', () => {
    let nowMs = 0;
    const use = createRenderUse(3000, () => nowMs);
    use.begin('runs', 'still');
    for (let tenant = 0; tenant < 10_000; tenant++) {
      const end = use.begin(`t${tenant}`, 'still');
      nowMs += 1;
      end();
    }
    expect([use.usedMs('t0'), use.usedMs('runs')]).toEqual([0, 10_000]);
    expect(use.usedMs('t9999')).toBeGreaterThan(0);
  });
});
