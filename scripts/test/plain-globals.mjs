// jest's environment for Node, faster in two ways. Its globals are plain: in jest's own, every use of a global asks a
// JavaScript proxy, even of `Error` or `Uint8Array`, and code that uses them often takes up to a third more processor time.
// A module is compiled once for all suites of a process, instead of once for each.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;

/** Where Node's fetch has its connections, on the global of the process. The SDK of Gemini passes them to fetch. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** @type {Map<string, {source: string, script: vm.Script}>} by file name and parameters */
const compiled = new Map();

/**
 * From this module on the engine counts how often each block of code runs, but not in code that it compiled before: the
 * modules that a suite loads later are compiled for it alone.
 */
const COUNTING = /\/http-service\/src\/testing\/operations\.ts$/;
/** @type {WeakMap<object, number>} the number of the suite by its context */
const counting = new WeakMap();
let countingSuites = 0;

/** In place of the function of node:vm, which jest calls for every module of a suite. */
vm.compileFunction = function compileOnce(source, parameters, { filename, parsingContext }) {
  const suite = counting.get(parsingContext);
  // The engine compiles the same text once.
  if (suite !== undefined) return compile(`${source}\n// ${suite}`, parameters, filename).runInContext(parsingContext);
  if (COUNTING.test(filename)) counting.set(parsingContext, (countingSuites += 1));
  const key = `${filename}\n${parameters}`;
  let known = compiled.get(key);
  if (known?.source !== source) {
    known = { source, script: compile(source, parameters, filename) };
    compiled.set(key, known);
  }
  return known.script.runInContext(parsingContext);
};

function compile(source, parameters, filename) {
  const head = `(function (${parameters}) {`;
  return new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
}

export default class PlainGlobals extends TestEnvironment {
  constructor(...options) {
    // jest has no option for the context. Its constructor is synchronous: no other context is made by this.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
    Object.defineProperty(this.global, DISPATCHER, { get: () => globalThis[DISPATCHER], configurable: true });
  }
}
