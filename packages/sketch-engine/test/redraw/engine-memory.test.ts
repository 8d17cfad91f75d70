import { expect, it } from '@jest/globals';
import { drawAgain } from './draw-again.js';

// The engine's code shares its realm with the sketch: what the sketch replaces there, the engine's code might call.

/** Most drawing functions, whatever they throw. */
const DRAWS_ALL = `
  const c = drawingContext;
  for (const draw of [
    () => { c.save(); c.beginPath(); c.moveTo(1, 1); c.lineTo(50, 5); c.arc(50, 50, 20, 0, 3); c.bezierCurveTo(1, 2, 3, 4, 5, 6); },
    () => { c.ellipse(9, 9, 4, 4, 0, 0, 3); c.roundRect(1, 2, 30, 40, [3]); c.stroke(); c.fill(); },
    () => { c.setLineDash([1, 2]); c.stroke(); c.getLineDash(); c.clip(); c.restore(); c.isPointInPath(3, 3); },
    () => { const g = c.createLinearGradient(0, 0, 9, 9); g.addColorStop(0, 'red'); g.addColorStop(1, 'hsl(20 30% 40%)'); c.fillStyle = g; },
    () => { c.fillRect(0, 0, 9, 9); c.strokeStyle = c.createRadialGradient(0, 0, 1, 10, 10, 9); c.strokeRect(0, 0, 9, 9); },
    () => { c.font = '20px sans-serif'; c.fillText('abc', 5, 20); c.measureText('abc'); c.strokeText('q', 3, 3); },
    () => { c.shadowBlur = 3; c.shadowColor = 'black'; c.fillRect(1, 1, 5, 5); c.filter = 'blur(2px)'; c.fillRect(1, 1, 5, 5); },
    () => { c.putImageData(c.getImageData(0, 0, 5, 5), 3, 3); c.createImageData(2, 2); },
    () => { c.globalCompositeOperation = 'multiply'; c.fillRect(0, 0, 5, 5); c.rotate(1); c.getTransform(); },
    () => { const b = createGraphics(20, 20); b.circle(3, 3, 3); image(b, 1, 1); },
    () => { background(20); circle(50, 50, 20); textSize(20); text('abc', 3, 40); textWidth('abc'); noise(1); random(); },
    () => { loadPixels(); updatePixels(); beginShape(); vertex(1, 2); vertex(30, 4); vertex(5, 60); endShape(CLOSE); },
    () => { lerpColor(color(1), color('red'), 0.5); c.reset(); },
  ]) try { draw(); } catch {}
`;

/** `look(value, path)` looks for views of a large memory, modules and their objects, in the value and what it leads to. */
const LOOKS = `
  const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, prototype: { toString } } = Object;
  const { apply, ownKeys } = Reflect;
  const { has, add } = Set.prototype;
  const bytesOf = getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get;
  const bufferOf = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'buffer').get;
  const seen = new Set();
  let found = '';
  let isLooking = false;
  const isLarge = (value) => {
    for (const memory of [() => value, () => apply(bufferOf, value, [])]) try { if (apply(bytesOf, memory(), []) > 2e7) return true; } catch {}
    return false;
  };
  const walk = (value, depth, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || apply(has, seen, [value])) return;
    apply(add, seen, [value]);
    if (isLarge(value)) found += path + ': memory; ';
    const keys = ownKeys(value);
    for (let i = 0; i < keys.length && i < 400; i++) {
      if (keys[i] === '_malloc' || keys[i] === 'HEAPU8') found += path + ': module; ';
      if (depth > 0) walk(getOwnPropertyDescriptor(value, keys[i])?.value, depth - 1, path);
    }
    if (depth > 0) walk(getPrototypeOf(value), depth - 1, path);
  };
  const look = (value, path) => {
    if (isLooking || !isOn) return;
    isLooking = true;
    try { walk(value, 2, path); } finally { isLooking = false; }
  };
  let isOn = false;
`;

const ended = (drawn: string): unknown => ({
  kind: 'fault',
  fault: expect.objectContaining({ message: drawn }) as unknown,
});

it('passes no engine memory to methods that a sketch replaced', async () => {
  const code = `function setup() {
    ${LOOKS}
    let replaced = 0;
    const replace = (owner, key, descriptor, path) => {
      const watched = (method) => function (...args) {
        look(this, path);
        for (let i = 0; i < args.length; i++) look(args[i], path);
        const result = apply(method, this, args);
        look(result, path);
        return result;
      };
      const { value, get } = descriptor;
      if (key === 'constructor' || typeof (value ?? get) !== 'function') return;
      try { defineProperty(owner, key, { configurable: true, ...(get ? { get: watched(get) } : { value: watched(value) }) }); replaced++; } catch {}
    };
    const prototypes = { array: [][Symbol.iterator](), map: new Map()[Symbol.iterator](), set: new Set()[Symbol.iterator](),
      text: ''[Symbol.iterator](), matches: 'a'.matchAll(/a/g), generator: (function* () {})(), functions: () => 0 };
    const owners = { views: getPrototypeOf(Uint8Array.prototype), iterators: getPrototypeOf(getPrototypeOf(prototypes.array)) };
    for (const name of ownKeys(prototypes)) owners[name] = getPrototypeOf(prototypes[name]);
    for (const name of ownKeys(globalThis)) {
      const value = getOwnPropertyDescriptor(globalThis, name).value;
      if (typeof value === 'function' && value.prototype) owners[String(name) + '.prototype'] = value.prototype;
      if (typeof value === 'function' || (typeof value === 'object' && value !== null)) owners[String(name)] = value;
    }
    for (const name of ownKeys(owners)) {
      for (const key of ownKeys(owners[name])) replace(owners[name], key, getOwnPropertyDescriptor(owners[name], key), name + '.' + String(key));
    }
    // What each kind of view inherits, in front of it.
    for (const kind of [Uint8Array, Uint8ClampedArray, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, Float64Array]) {
      for (const key of ownKeys(owners.views)) {
        replace(kind.prototype, key, getOwnPropertyDescriptor(owners.views, key), kind.name + '.' + String(key));
      }
    }
    isOn = true;
    ${DRAWS_ALL}
    isOn = false;
    throw new Error((replaced > 100) + ' ' + found);
  }`;
  expect(await drawAgain(code)).toEqual(ended('Error: true '));
});

const WAYS: Readonly<Record<string, string>> = {
  'Object.defineProperty': "Object.defineProperty(Array.prototype, '0', trap)",
  'Object.defineProperties': 'Object.defineProperties(Array.prototype, { 3: trap })',
  'Reflect.defineProperty': "Reflect.defineProperty(Array.prototype, '0', trap)",
  __defineSetter__: "Array.prototype.__defineSetter__('1', trap.set)",
  __defineGetter__: "Array.prototype.__defineGetter__('1', trap.get)",
  'Object.setPrototypeOf': 'Object.setPrototypeOf(Array.prototype, Object.create(Object.prototype, { 0: trap }))',
  'Reflect.setPrototypeOf': 'Reflect.setPrototypeOf(Array.prototype, Object.create(Object.prototype, { 0: trap }))',
  __proto__: 'Array.prototype.__proto__ = Object.create(Object.prototype, { 0: trap })',
  'a proxy': "Object.defineProperty(new Proxy(Array.prototype, {}), '0', trap)",
  'a proxy of a proxy':
    "Reflect.defineProperty(new Proxy(new Proxy(Array.prototype, {}), { defineProperty: (...all) => Reflect.defineProperty(...all) }), '0', trap)",
  'the call of a method': "look.call.call(Object.defineProperty, null, Array.prototype, '0', trap)",
};

it.each(Object.entries(WAYS))('refuses an accessor for the elements of every array: %s', async (_way, defines) => {
  const code = `function setup() {
    ${LOOKS}
    isOn = true;
    const trap = { configurable: true, get() {}, set(value) { look(value, 'element'); } };
    try { ${defines}; } catch {}
    ${DRAWS_ALL}
  }`;
  expect(await drawAgain(code)).toEqual({
    kind: 'fault',
    fault: { code: 'PROTOCOL_VIOLATION', message: 'Array.prototype: may not have elements' },
  });
});

it('lets a sketch extend arrays and its own objects', async () => {
  const code = `
    Array.prototype.last = function () { return this[this.length - 1]; };
    Object.defineProperty(Array.prototype, 'first', { value() { return this[0]; } });
    Set.prototype.sum = function () { let sum = 0; for (const each of this) sum += each; return sum; };
    function Shape() {}
    Object.setPrototypeOf(Shape.prototype, { draw() { circle([1, 50].last(), [50].first(), new Set([3, 4]).sum()); } });
    function setup() { new Shape().draw(); }`;
  expect(await drawAgain(code)).toEqual(expect.objectContaining({ kind: 'picture' }));
});
