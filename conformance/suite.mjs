// All cases against one implementation.
import { canonical } from './canonical.mjs';
import { canonicalCases } from './cases/canonical.mjs';
import { httpCases } from './cases/http.mjs';
import { logCases } from './cases/logs.mjs';
import { sealCases } from './cases/seal.mjs';
import { vectorCases } from './cases/vectors.mjs';
import { answersOf, apiOf, serve } from './implementation.mjs';

export function allCases() {
  return [...vectorCases(), ...canonicalCases(), ...sealCases(), ...logCases(), ...httpCases()];
}

/**
 * @param {{command: readonly string[], cwd?: string}} implementation
 * @param {readonly object[]} cases
 * @returns {Promise<{id: string, heading: string, outcome: 'passed' | 'failed' | 'not built', detail?: string}[]>}
 */
export async function runCases(implementation, cases) {
  const results = [];
  for (const verb of ['verify', 'seal', 'log']) {
    const own = cases.filter(({ command }) => command === verb);
    const answers =
      own.length === 0
        ? []
        : await answersOf(
            implementation,
            verb,
            own.map(({ file }) => file),
          );
    results.push(...own.map((item, index) => resultOf(item, answers === null ? { notBuilt: verb } : answers[index])));
  }
  const journeys = cases.filter(({ command }) => command === 'serve');
  if (journeys.length > 0) results.push(...(await runJourneys(implementation, journeys)));
  return results;
}

function resultOf({ id, heading, rule, expected }, answer) {
  if (answer.notBuilt !== undefined) return { id, heading, rule, outcome: 'not built', detail: answer.notBuilt };
  const seen = answer.bundle === undefined ? answer : { ...answer, bundle: canonical(answer.bundle) };
  const differing = Object.entries(expected).filter(
    ([name, value]) => canonical(seen[name] ?? null) !== canonical(value ?? null),
  );
  if (differing.length === 0) return { id, heading, rule, outcome: 'passed' };
  const detail = differing.map(
    ([name, value]) => `${name} is ${JSON.stringify(seen[name])}, not ${JSON.stringify(value)}`,
  );
  return { id, heading, rule, outcome: 'failed', detail: detail.join('; ') };
}

async function runJourneys(implementation, journeys) {
  const node = await serve(implementation);
  if (node === null)
    return journeys.map(({ id, heading, rule }) => ({ id, heading, rule, outcome: 'not built', detail: 'serve' }));
  try {
    const results = [];
    for (const item of journeys) results.push(await runJourney(item, apiOf(node.facts)));
    return results;
  } finally {
    await node.stop();
  }
}

async function runJourney({ id, heading, rule, journey }, api) {
  let seen;
  try {
    seen = await journey(api);
  } catch (error) {
    return { id, heading, rule, outcome: 'failed', detail: String(error) };
  }
  const differing = Object.entries(seen).filter(([, [actual, expected]]) => actual !== expected);
  if (differing.length === 0) return { id, heading, rule, outcome: 'passed' };
  const detail = differing.map(
    ([name, [actual, expected]]) => `${name} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
  );
  return { id, heading, rule, outcome: 'failed', detail: detail.join('; ') };
}
