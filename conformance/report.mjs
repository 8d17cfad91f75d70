// The report by section of docs/spec.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SPEC = join(import.meta.dirname, '..', 'docs', 'spec.md');

/** The sections of the specification in order, each with its own heading and those below it. */
export function sections() {
  const found = [];
  for (const [, level, heading] of readFileSync(SPEC, 'utf8').matchAll(/^(##|###) (.+)$/gm)) {
    if (level === '##') found.push({ section: heading, headings: [heading] });
    else found.at(-1)?.headings.push(heading);
  }
  return found;
}

/** Counts of outcomes for each section, the ones without a case included. */
export function bySection(results) {
  return sections().map(({ section, headings }) => {
    const own = results.filter(({ heading }) => headings.includes(heading));
    const count = (outcome) => own.filter((result) => result.outcome === outcome).length;
    return {
      section,
      cases: own.length,
      passed: count('passed'),
      failed: count('failed'),
      notBuilt: count('not built'),
    };
  });
}

export function printReport(name, results, write) {
  const rows = bySection(results);
  const width = Math.max(...rows.map(({ section }) => section.length));
  write(`${name}\n${'section'.padEnd(width)}  cases  passed  failed  not built`);
  for (const { section, cases, passed, failed, notBuilt } of rows.filter((row) => row.cases > 0)) {
    const columns = [cases, passed, failed, notBuilt].map((count, index) =>
      String(count).padStart([5, 6, 6, 9][index]),
    );
    write(`${section.padEnd(width)}  ${columns.join('  ')}`);
  }
  const without = rows.filter(({ cases }) => cases === 0).map(({ section }) => section);
  write(`no case: ${without.join(', ')}`);
  for (const { id, detail } of results.filter(({ outcome }) => outcome === 'failed')) write(`FAILED ${id}: ${detail}`);
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length;
  write(
    `${results.length} cases: ${count('passed')} passed, ${count('failed')} failed, ${count('not built')} not built`,
  );
}
