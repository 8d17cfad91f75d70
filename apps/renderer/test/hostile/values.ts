import { byText, DRAW_VALUE, each, type Family } from './family.js';

const drawn = (use: string): string => `${DRAW_VALUE}
function setup() { let value = 'absent'; try { value = ${use}; } catch {} drawValue(value); }`;

const CLOCK_SOURCES: readonly string[] = [
  'Date.now()',
  'new Date().getTime()',
  'Date()',
  'new Date().toISOString()',
  'new Date().getTimezoneOffset()',
  'new (new Date().constructor)().getTime()',
  'Reflect.construct(Date, []).valueOf()',
  'performance.now()',
  'performance.timeOrigin',
  'performance.mark("x").startTime',
  'Temporal.Now.instant()',
  'Temporal.Now.plainDateTimeISO()',
  'new Intl.DateTimeFormat().format()',
  'new Date(0).toLocaleString()',
  'document.timeline.currentTime',
  'document.lastModified',
  'new Event("x").timeStamp',
  'millis()',
  'second()',
  'minute() + hour() + day() + month() + year()',
  'deltaTime',
  'frameRate()',
  'new Animation().currentTime',
  'console.time("x")',
  'new File([], "x").lastModified',
  'navigator.userActivation',
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)',
  'requestAnimationFrame((t) => t)',
];

/** Every source of time, drawn to pixels: two renders are equal. */
export const CLOCKS: Family = {
  name: 'clocks',
  short: 'Date.now()',
  sketches: () => each(byText(CLOCK_SOURCES), 'same', drawn),
};

const RANDOM_SOURCES: readonly string[] = [
  'Math.random()',
  'random()',
  'random(100)',
  'randomGaussian()',
  'noise(1.5)',
  'shuffle([1, 2, 3, 4, 5, 6, 7, 8]).join()',
  'random([1, 2, 3, 4, 5])',
  '(randomSeed(), random())',
  '(noiseSeed(undefined), noise(0.5))',
  'crypto.getRandomValues(new Uint32Array(1))[0]',
  'crypto.randomUUID()',
  'new Error().stack',
  '(() => { try { null.x } catch (e) { return e.stack + e.message } })()',
  '[3, 1, 2].sort(() => Math.random() - 0.5).join()',
  'Symbol().toString()',
  'Object.keys({ b: 1, a: 2, 1: 3, 0: 4 }).join()',
  '[...new Set(["b", "a"])].join()',
  'Math.sin(1e22) + Math.tan(1.5) + Math.exp(0.1) + Math.pow(1.1, 10.3)',
  '0.1 ** 0.3',
  'new Float64Array(new Uint32Array([1, 0x7ff80000]).buffer)[0]',
  'new Uint32Array(new Float64Array([NaN, 0 / 0, -Math.sqrt(-1)]).buffer).join()',
  'navigator.hardwareConcurrency',
  'navigator.deviceMemory',
  'navigator.userAgent',
  'screen.width + devicePixelRatio',
  'performance.memory.usedJSHeapSize',
  'new WeakRef({}).deref()',
  '(() => { let depth = 0; const f = () => { depth++; f(); }; try { f(); } catch {} return depth; })()',
  '"ä".localeCompare("z") + (1234.5).toLocaleString()',
  'textWidth("measured") + textAscent()',
];

/** Every source of randomness or of facts about the machine, drawn to pixels: two renders are equal. */
export const RANDOMNESS: Family = {
  name: 'randomness',
  short: 'Math.random()',
  sketches: () => each(byText(RANDOM_SOURCES), 'same', drawn),
};
