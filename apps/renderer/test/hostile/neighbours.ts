import type { Family, HostileSketch } from './family.js';

/** Changes that an attacker leaves for the next sketch. */
const TRACES: Readonly<Record<string, string>> = {
  'a global': 'globalThis.left = 1;',
  'a changed Math': 'try { Math.sin = () => 0; Math.floor = () => 1; } catch {}',
  'a changed Array': 'try { Array.prototype.map = () => []; Array.prototype[Symbol.iterator] = undefined; } catch {}',
  'a changed Object': "try { Object.prototype.toJSON = () => 'forged'; Object.prototype.then = (f) => f(1); } catch {}",
  'a changed String': "try { String.prototype.charCodeAt = () => 65; String.prototype.slice = () => ''; } catch {}",
  'a changed Number': "try { Number.prototype.toString = () => '1'; } catch {}",
  'a changed JSON': 'try { JSON.stringify = () => "{}"; JSON.parse = () => ({}); } catch {}',
  'changed typed arrays':
    'try { globalThis.Uint8ClampedArray = globalThis.Uint8Array = function () { return []; }; } catch {}',
  'a changed circle': 'try { globalThis.circle = () => {}; globalThis.background = () => {}; } catch {}',
  'a changed context': 'try { Object.getPrototypeOf(drawingContext).fill = () => {}; } catch {}',
  'a frozen world': 'try { Object.freeze(Object.prototype); Object.freeze(Array.prototype); } catch {}',
  'a stored value': "try { localStorage.setItem('left', 1); sessionStorage.left = 1; } catch {}",
  'a cookie': "try { document.cookie = 'left=1'; } catch {}",
  'a cached file': "try { caches.open('left'); indexedDB.open('left'); } catch {}",
  'a name of the window': "try { name = 'left'; window.name = 'left'; } catch {}",
  'a channel': "try { new BroadcastChannel('left').postMessage(1); } catch {}",
  'a lock': "try { navigator.locks.request('left', () => new Promise(() => {})); } catch {}",
  'a font': "try { document.fonts.add(new FontFace('sans-serif', 'local(x)')); } catch {}",
  'a seed': 'randomSeed(1); noiseSeed(1); random(); noise(1);',
  'a state of drawing':
    'blendMode(MULTIPLY); rotate(1); scale(9); fill(1, 2, 3, 4); strokeWeight(50); textSize(90); noLoop();',
  'a full console': "for (let i = 0; i < 500; i++) console.log('x'.repeat(1e4));",
};

/** Draws with everything that an attacker may have changed. */
export const HONEST = `function setup() {
  background(30); fill(200, 40, 90); circle(700, 700, 500);
  [10, 20, 30].map((n) => rect(n * 20, Math.floor(Math.sin(n) * 100) + 1200, 90, JSON.parse('[50]')[0]));
  fill(random(255)); text('x'.charCodeAt(0).toString().slice(0, 2) + typeof left, 300, 1800); circle(noise(3) * 900, 1900, 80);
}`;

/** Each attacker is followed by the honest sketch of another tenant, whose picture must not change. */
export const NEIGHBOURS: Family = {
  name: 'neighbours',
  short: 'a changed Math',
  sketches: () =>
    Object.entries(TRACES).map(([name, use]): HostileSketch => ({
      name,
      code: `function setup() { ${use} background(1); }`,
      ending: 'honest',
    })),
};
