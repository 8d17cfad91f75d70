// The part of docs/reliability.md that a soak run writes: between two marks, so that the text around them stays.
const BEGIN = '<!-- soak: written by npm run soak -- --write -->';
const END = '<!-- soak: end -->';

/**
 * @param {string} document with the two marks
 * @param {object} facts as soak/run.mjs prints them
 * @returns {string} the document with the figures of this run
 * @throws Error when a mark is missing
 */
export function withSoak(document, facts) {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error('docs/reliability.md has no place for the figures of a soak');
  return `${document.slice(0, from)}${BEGIN}\n\n${figuresOf(facts)}\n${document.slice(to)}`;
}

function figuresOf({ date, minutes, capacity, rate, requests, leftOut, errors, loadAverage, errorsByReason, judged }) {
  const grown = judged.filter(({ isFlat }) => !isFlat);
  const verdict = errors === 0 && grown.length === 0 ? 'passed' : '**did not pass**';
  const reasons = Object.entries(errorsByReason).map(([reason, count]) => `${count} times ${reason}`);
  const sentences = [
    `The run of ${date.slice(0, 10)}, ${minutes} minutes, ${verdict}.`,
    `Capacity ${capacity} requests/s, ${rate} requests/s sent: ${requests} requests, ${leftOut} that were due were left out`,
    `while 16 were under way. Errors: ${errors}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}.`,
    `Load average ${loadAverage.lowest.toFixed(1)} to ${loadAverage.highest.toFixed(1)}, median ${loadAverage.median.toFixed(1)}.`,
  ];
  const rows = judged.map(
    ({ quantity, first, last, isFlat }) =>
      `| ${quantity} | ${shown(first)} | ${shown(last)} | ${isFlat ? 'yes' : 'no'} |`,
  );
  const table = ['| Quantity | First third | Last third | Flat |', '| --- | --- | --- | --- |', ...rows];
  return `${sentences.join('\n')}\n\n${table.join('\n')}\n`;
}

const shown = (value) => (value === null ? '-' : Number(value.toFixed(1)));
