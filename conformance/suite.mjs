// All cases against one implementation.
import { canonical } from './canonical.mjs';
import { startCollector } from './collector.mjs';
import { canonicalCases } from './cases/canonical.mjs';
import { controlPlaneCases } from './cases/control-plane.mjs';
import { httpCases } from './cases/http.mjs';
import { logCases } from './cases/logs.mjs';
import { pictureCases } from './cases/pictures.mjs';
import { renderCases } from './cases/renders.mjs';
import { sealCases } from './cases/seal.mjs';
import { spanCases } from './cases/spans.mjs';
import { timestampCases } from './cases/timestamps.mjs';
import { vectorCases } from './cases/vectors.mjs';
import { answersOf, apiOf, serve } from './implementation.mjs';

export function allCases() {
  const files = [
    vectorCases,
    pictureCases,
    canonicalCases,
    sealCases,
    timestampCases,
    logCases,
    renderCases,
    spanCases,
  ];
  return [...files.flatMap((make) => make()), ...httpCases(), ...controlPlaneCases()];
}

/**
 * @param {{command: readonly string[], cwd?: string}} implementation
 * @param {readonly object[]} cases
 * @returns {Promise<{id: string, heading: string, outcome: 'passed' | 'failed' | 'not built', detail?: string}[]>}
 */
export async function runCases(implementation, cases) {
  const results = [];
  for (const verb of ['verify', 'picture', 'seal', 'timestamp', 'log', 'render', 'span']) {
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
  for (const verb of ['serve', 'serve-control-plane']) {
    const journeys = cases.filter(({ command }) => command === verb);
    if (journeys.length > 0) results.push(...(await runJourneys(implementation, verb, journeys)));
  }
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

async function runJourneys(implementation, verb, journeys) {
  const collector = await startCollector();
  try {
    const node = await serve(implementation, verb, collector.env);
    if (node === null)
      return journeys.map(({ id, heading, rule }) => ({ id, heading, rule, outcome: 'not built', detail: verb }));
    try {
      const api = { ...apiOf(node.facts), spansOf: collector.spansOf };
      const results = [];
      for (const item of journeys) results.push(await runJourney(item, api));
      return results;
    } finally {
      await node.stop();
    }
  } finally {
    collector.close();
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
