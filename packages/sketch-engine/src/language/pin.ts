import { pinMath } from './math.js';
import { createPower } from './power.js';
import { pinSort } from './sort.js';
import { POWER } from './syntax-names.js';

/** The module that build/modules.mjs compiles, base64; written in when the page's scripts are bundled. */
declare const MATH_MODULE: string;

// The first script of the page: whatever runs after it calculates and sorts the same in every engine.
pinMath(Math, MATH_MODULE);
pinSort({ array: Array.prototype, typedArray: Object.getPrototypeOf(Uint8Array.prototype) as object });
Object.defineProperty(globalThis, POWER, { value: createPower(Math.pow) });
