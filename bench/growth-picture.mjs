// Quantities by number of records as one SVG picture, a panel each; readable on a light and on a dark page.
const [WIDTH, HEIGHT, LEFT, GAP, COLUMNS] = [360, 110, 70, 56, 2];

const STYLE = `text { fill: #1f2328 } .axis { stroke: #59636e; fill: none } .line { stroke: #0969da; fill: none } .dot { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .axis { stroke: #9198a1 } .line { stroke: #4493f8 } .dot { fill: #4493f8 } }`;

const shown = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3));

/** @param {{name: string, unit: string, points: {rows: number, value: number}[]}[]} quantities */
export function growthPicture(quantities) {
  const [column, row] = [LEFT + WIDTH + 30, HEIGHT + GAP];
  const height = Math.ceil(quantities.length / COLUMNS) * row + 20;
  const said = quantities.map(
    ({ name, unit, points }) =>
      `${name}: ${points.map(({ rows, value }) => `${shown(value)} ${unit} at ${rows.toLocaleString('en')}`).join(', ')}`,
  );
  const panels = quantities.map((quantity, at) =>
    panel(quantity, LEFT + (at % COLUMNS) * column, 40 + Math.floor(at / COLUMNS) * row),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${COLUMNS * column} ${height}" font-family="sans-serif" font-size="12" role="img" aria-labelledby="title said">
<title id="title">Cost of a record by number of records in a SQLite database</title>
<desc id="said">${said.join('. ')}.</desc>
<style>${STYLE}</style>
${panels.join('\n')}
</svg>
`;
}

/** Records on a logarithmic scale, values from zero. */
function panel({ name, unit, points }, left, top) {
  const highest = Math.max(...points.map(({ value }) => value)) * 1.25;
  const [first, last] = [points[0].rows, points.at(-1).rows];
  const x = (rows) =>
    (left + 30 + (first === last ? 0 : Math.log(rows / first) / Math.log(last / first)) * (WIDTH - 60)).toFixed(1);
  const y = (value) => (top + HEIGHT - (value / highest) * HEIGHT).toFixed(1);
  const marks = points.map(
    ({ rows, value }) =>
      `<circle class="dot" cx="${x(rows)}" cy="${y(value)}" r="3"/><text x="${x(rows)}" y="${Number(y(value)) - 8}" text-anchor="middle">${shown(value)}</text><text x="${x(rows)}" y="${top + HEIGHT + 15}" text-anchor="middle">${rows.toLocaleString('en')}</text>`,
  );
  return `<text x="${left}" y="${top - 8}" font-weight="bold">${name}, ${unit}</text>
<path class="axis" d="M${left},${top} v${HEIGHT} h${WIDTH}"/><text x="${left - 6}" y="${top + HEIGHT}" text-anchor="end">0</text>
<polyline class="line" stroke-width="2" points="${points.map(({ rows, value }) => `${x(rows)},${y(value)}`).join(' ')}"/>
${marks.join('\n')}`;
}
