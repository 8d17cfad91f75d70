// The samples of a soak as one SVG picture: a panel per quantity, a line per service or kind of request.
import { linesOf } from './judge.mjs';

const PANELS = [
  ['requestsPerSecond', 'requests per second'],
  ['errors', 'errors in total'],
  ['latencyMs', 'latency, median of 5 s, ms'],
  ['latencyP99Ms', 'latency, 99th percentile of 5 s, ms'],
  ['memoryMib', 'memory, MiB'],
  ['descriptors', 'descriptors'],
  ['threads', 'threads'],
  ['walMib', 'write-ahead logs, MiB'],
  ['loadAverage', 'load average of the machine'],
];
const [WIDTH, HEIGHT, LEFT, GAP, LEGEND] = [900, 130, 60, 46, 150];
const COLOURS = ['#1b6ca8', '#b3541e', '#2f7d32', '#7b3f9d', '#8a6d00', '#a3123f', '#00707a'];
const MAX_POINTS = 240;

/**
 * @param {object[]} samples with `seconds` since the start
 * @param {string} title
 * @returns {string} SVG
 */
export function plot(samples, title) {
  const step = Math.ceil(samples.length / MAX_POINTS);
  const shown = samples.filter((_sample, at) => at % step === 0);
  const seconds = samples.at(-1)?.seconds ?? 1;
  const total = GAP + PANELS.length * (HEIGHT + GAP);
  const panels = PANELS.map((panel, at) => drawn(panel, shown, seconds, GAP + at * (HEIGHT + GAP)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + LEGEND} ${total}" font-family="sans-serif" font-size="12" role="img" aria-label="${title}">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${LEFT}" y="20" font-size="15">${title}</text>
${panels.join('\n')}
</svg>
`;
}

function drawn([name, label], samples, seconds, top) {
  const lines = linesOf(samples, name);
  const numbers = lines.flatMap(({ read }) => samples.map(read)).filter((value) => typeof value === 'number');
  const highest = Math.max(1, ...numbers) * 1.05;
  const x = (sample) => (LEFT + (sample.seconds / seconds) * WIDTH).toFixed(1);
  const y = (value) => (top + HEIGHT - (value / highest) * HEIGHT).toFixed(1);
  const drawnLines = lines.map(({ quantity, read }, at) => {
    const colour = COLOURS[at % COLOURS.length];
    const points = samples.filter((sample) => typeof read(sample) === 'number');
    const path = points.map((sample) => `${x(sample)},${y(read(sample))}`).join(' ');
    const legend = quantity === name ? '' : quantity.slice(name.length + 1);
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${path}"/><text x="${LEFT + WIDTH + 8}" y="${top + 14 + at * 16}" fill="${colour}">${legend}</text>`;
  });
  return `<text x="${LEFT}" y="${top - 6}">${label}</text>
<path d="M${LEFT},${top} v${HEIGHT} h${WIDTH}" fill="none" stroke="#888"/>
<text x="${LEFT - 6}" y="${top + 10}" text-anchor="end">${Math.round(highest)}</text><text x="${LEFT - 6}" y="${top + HEIGHT}" text-anchor="end">0</text>
<text x="${LEFT + WIDTH}" y="${top + HEIGHT + 14}" text-anchor="end">${(seconds / 60).toFixed(1)} min</text>
${drawnLines.join('\n')}`;
}
