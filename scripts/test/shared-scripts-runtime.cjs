// jest's runtime with what does not depend on the test file kept per process: the text of each module, its compiled
// script, and the path that each import leads to. jest itself reads, compiles and resolves every module again for each
// test file.
'use strict';

const { readFileSync, statSync } = require('node:fs');
const { dirname } = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** By path and the head of its function: the compiled script of a module, and the code it was compiled from. */
const scripts = new Map();
/** By path: the text of a file, and what shows that it has changed. */
const texts = new Map();
/** By resolver, of which each workspace has one: the path of each import. */
const paths = new WeakMap();

module.exports = class SharedScriptsRuntime extends Runtime {
  constructor(config, environment, resolver, ...options) {
    super(config, environment, resolver, ...options);
    this.#shareScripts();
    this.#shareTexts();
    this.#sharePaths(resolver);
  }

  #shareScripts() {
    const { executor } = this;
    const compile = executor.compile.bind(executor);
    const head = `(function (${executor.injectedModuleParameters.join(', ')}) {`;
    executor.compile = (code, filename) => {
      const context = this._environment.getVmContext();
      // Where jest has modules of the language, compiled code needs the callback of its own way.
      if (context === null || typeof vm.SourceTextModule === 'function') return compile(code, filename);
      try {
        return scriptOf(code, filename, head).runInContext(context);
      } catch {
        // A syntax error: jest's own way reports it.
        return compile(code, filename);
      }
    };
  }

  #shareTexts() {
    const { fileCache } = this;
    const read = fileCache.readFile.bind(fileCache);
    fileCache.readFile = (filename) => (fileCache.strings.has(filename) ? read(filename) : textOf(filename));
  }

  #sharePaths(resolver) {
    const { _resolution: resolution } = this;
    if (!paths.has(resolver)) {
      paths.set(resolver, new Map());
      rememberMappedNames(resolver);
    }
    resolution.cjsCache = paths.get(resolver);
    // jest clears all three at the end of a test file.
    resolution.clear = () => {
      resolution.esmCache.clear();
      resolution.manualMockCache.clear();
    };
  }
};

function scriptOf(code, filename, head) {
  const key = `${filename}\0${head}`;
  const known = scripts.get(key);
  if (known?.code === code) return known.script;
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
  scripts.set(key, { code, script });
  return script;
}

function textOf(filename) {
  const { mtimeMs, size } = statSync(filename);
  const known = texts.get(filename);
  if (known !== undefined && known.mtimeMs === mtimeMs && known.size === size) return known.text;
  const text = readFileSync(filename, 'utf8');
  texts.set(filename, { mtimeMs, size, text });
  return text;
}

/** jest tries the patterns of moduleNameMapper on each import of each module, often more than once. */
function rememberMappedNames(resolver) {
  const resolve = resolver.resolveStubModuleName.bind(resolver);
  const found = new Map();
  resolver.resolveStubModuleName = (from, name, options) => {
    const key = [dirname(from), name, ...(options?.conditions ?? [])].join('\0');
    if (!found.has(key)) found.set(key, resolve(from, name, options));
    return found.get(key);
  };
}
