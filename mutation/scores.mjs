// Scores of the pieces, and their survivors without a reason.
import { readFileSync } from 'node:fs';
import { ARGUED } from './argued.mjs';

/** Minimum score of a piece and of all, in percent; a survivor with a reason counts as a survivor. */
const MINIMUM = 90;

/**
 * Prints one line for each piece and each survivor that argued.mjs does not have.
 * @param {{name: string, file: string}[]} reports files in the form of mutation-testing-report-schema
 * @returns {boolean} whether every piece has the minimum, and every survivor a reason
 */
export function printScores(reports) {
  const totals = { caught: 0, survived: 0, argued: 0 };
  let isEnough = true;
  for (const { name, file } of reports) {
    const mutants = mutantsOf(JSON.parse(readFileSync(file, 'utf8')));
    const survivors = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
    const broken = mutants.filter(({ status }) => status === 'RuntimeError' || status === 'Pending');
    const caught = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    const open = survivors.filter((mutant) => !isArgued(mutant));
    const score = percentOf(caught, survivors.length);
    console.log(`${name}: ${score} %: ${caught} caught, ${survivors.length} not, ${open.length} of them not argued`);
    for (const mutant of [...open, ...broken]) console.log(lineOf(mutant));
    isEnough &&= score >= MINIMUM && open.length === 0 && broken.length === 0;
    totals.caught += caught;
    totals.survived += survivors.length;
    totals.argued += survivors.length - open.length;
  }
  const { caught, survived, argued } = totals;
  console.log(`all: ${percentOf(caught, survived)} %: ${caught} caught, ${survived} not, ${argued} of them argued`);
  return isEnough;
}

function percentOf(caught, survived) {
  return Math.floor((caught / Math.max(1, caught + survived)) * 10_000) / 100;
}

/** The mutated source in one line; its end where it is longer. */
function mutantsOf({ files }) {
  return Object.entries(files).flatMap(([path, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants.map(({ status, mutatorName, replacement, location: { start, end } }) => {
      const last = start.line === end.line ? end.column - 1 : undefined;
      const written = (lines[start.line - 1] ?? '').slice(start.column - 1, last);
      const file = path.replace(/^packages\/(.*)\.ts$/, '$1').replace('/src/', '/');
      return { status, mutatorName, file, line: start.line, written, replacement: replacement.replace(/\s+/g, ' ') };
    });
  });
}

function lineOf({ status, mutatorName, file, line, written, replacement }) {
  return `  ${status} ${mutatorName} ${file}:${line}\n    ${written}\n    ${replacement}`;
}

function isArgued({ file, written, replacement }) {
  return ARGUED.some((row) => row.file === file && row.written === written && row.becomes.includes(replacement));
}
