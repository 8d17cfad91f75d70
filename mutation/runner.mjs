// The test runner that the mutation tester loads: the suites of one target in the tester's process, from fresh modules for
// each mutant. jest itself takes seconds for one mutant; this takes what the tests take.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSuites } from './suites.mjs';
import { targets } from './targets.mjs';

// Mutated code asks this object which mutant is active, and counts there. It is never replaced: modules keep it.
const state = (globalThis.__stryker__ ??= {});

/** Maximum tests that run before the others. */
const FIRST_TESTS = 40;

class SuiteRunner {
  /** Tests that noticed a mutant, in the order in which they first did. */
  #killers = new Set();

  async init() {
    const root = process.cwd();
    const { workspace, tests } = targets[process.env.CER_MUTATION_PIECE];
    const folder = join(root, 'packages', workspace);
    const patterns = tests.map((test) => new RegExp(`^${test}[^.]*\\.test\\.ts$`));
    const files = readdirSync(folder, { recursive: true }).filter((file) => patterns.some((each) => each.test(file)));
    this.suites = await loadSuites(
      root,
      files.map((file) => join(folder, file)),
    );
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async dryRun() {
    Object.assign(state, { activeMutant: undefined, currentTestId: undefined, mutantCoverage: undefined });
    try {
      const tests = [];
      for (const suite of this.suites) {
        const onStart = (id) => (state.currentTestId = id);
        for (const outcome of await suite.run({ onStart })) tests.push(resultOf(outcome));
      }
      return { status: 'complete', tests, mutantCoverage: state.mutantCoverage };
    } catch (error) {
      return { status: 'error', errorMessage: error.stack };
    }
  }

  /** Tests that noticed earlier mutants run first: most mutants end there, and only the others take all tests. */
  async mutantRun(options) {
    const { testFilter } = options;
    const only = testFilter && new Set(testFilter);
    const first = new Set([...this.#killers].filter((id) => only?.has(id) ?? true).slice(-FIRST_TESTS));
    if (first.size > 0) {
      const result = await this.#run(options, first);
      if (result.status !== 'survived') return result;
    }
    const result = await this.#run(options, only);
    for (const id of result.killedBy ?? []) this.#killers.add(id);
    return result;
  }

  async #run({ activeMutant, hitLimit, mutantActivation }, only) {
    const activate = () => (state.activeMutant = activeMutant.id);
    let nrOfTests = 0;
    for (const suite of this.suites) {
      if (only !== undefined && ![...only].some((id) => suite.has(id))) continue;
      Object.assign(state, { activeMutant: undefined, hitCount: hitLimit && 0, hitLimit });
      if (mutantActivation === 'static') activate();
      try {
        for (const { id, isSkipped, fault } of await suite.run({ only, onLoaded: activate, bail: true })) {
          if (!isSkipped) nrOfTests += 1;
          if (state.hitCount > hitLimit) return { status: 'timeout', reason: 'a mutant ran too often' };
          if (fault !== null) return { status: 'killed', killedBy: [id], failureMessage: fault, nrOfTests };
        }
      } catch (error) {
        // A module that cannot be loaded, or an error outside any test: every test of the suite fails.
        return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests };
      }
    }
    return { status: 'survived', nrOfTests };
  }
}

function resultOf({ id, name, fileName, milliseconds, isSkipped, fault }) {
  const status = isSkipped ? 2 : fault === null ? 0 : 1;
  return { id, name, fileName, timeSpentMs: milliseconds, status, ...(fault !== null && { failureMessage: fault }) };
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'suites', injectableClass: SuiteRunner }];
