import { html, type Html } from '@cer/pages';
import { grouped } from '../usage/usage-page.js';
import { KINDS, type Kind, type KindCounts } from './kinds.js';

/** One column. */
export interface ChartDay {
  readonly day: string;
  readonly counts: KindCounts;
}

// Units of the drawing; the text is 12 of them.
const WIDTH = 760;
const HEIGHT = 230;
const LEFT = 64;
const TOP = 10;
const PLOT_HEIGHT = 180;
const PLOT_WIDTH = WIDTH - LEFT - 4;
/** Smallest height of a count above zero. */
const MIN_HEIGHT = 3;
const MAX_DAY_LABELS = 8;

/** Marks of each kind, which differ without colour. */
const MARKS: Readonly<Record<Kind, Html | null>> = {
  complete: null,
  aborted: html`<circle cx="2" cy="2" r="1.2" /><circle cx="6" cy="6" r="1.2" />`,
  refused: html`<path d="M-2 2 2-2M0 8 8 0M6 10l4-4" />`,
  bridge: html`<path d="M-2 6 2 10M0 0l8 8M6-2l4 4" />`,
  waiting: html`<path d="M0 4h8" />`,
  skipped: html`<path d="M4 0v8" />`,
  lost: html`<path d="M0 0l8 8M8 0 0 8" />`,
};

/**
 * A stacked column for each day. The table of the page has the same numbers.
 * @param waiting calls that wait at the last reports, which may be of different days
 */
export function coverageChart(days: readonly ChartDay[], waiting: number): Html {
  const top = roundedUp(Math.max(1, ...days.map(({ counts }) => total(counts))));
  const step = PLOT_WIDTH / days.length;
  const labelled = Math.ceil(days.length / MAX_DAY_LABELS);
  return html`<div class="scroll newest" role="region" aria-label="Chart of days" tabindex="0">
      <svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="chart-title chart-text">
        <title id="chart-title">Calls per day</title>
        <desc id="chart-text">
          Stacked columns from ${days[0]?.day} to ${days.at(-1)?.day}, up to ${grouped(top)} calls. The table below has
          the numbers.
        </desc>
        <defs>${KINDS.map(({ kind }) => pattern(kind))}</defs>
        ${[0, 0.5, 1].filter((share) => Number.isInteger(top * share)).map((share) => gridLine(share, top))}
        ${days.map((day, at) => column(day, LEFT + at * step, step, top))}
        ${days.map(({ day }, at) => {
          const x = LEFT + (at + 0.5) * step;
          return (
            at % labelled === 0 &&
            html`<text x="${fixed(x)}" y="${HEIGHT - 16}" text-anchor="middle">${day.slice(5)}</text>`
          );
        })}
      </svg>
    </div>
    <ul class="legend">
      ${KINDS.map(({ kind, label, by }) => {
        const sum = days.reduce((whole, { counts }) => whole + counts[kind], 0);
        return legendEntry(kind, label, by, kind === 'waiting' ? waiting : sum);
      })}
    </ul>`;
}

function pattern(kind: Kind): Html | false {
  const marks = MARKS[kind];
  return (
    marks !== null &&
    html`<pattern id="mark-${kind}" class="mark ${kind}" width="8" height="8" patternUnits="userSpaceOnUse">
      <rect width="8" height="8" />
      ${marks}
    </pattern>`
  );
}

function gridLine(share: number, top: number): Html {
  const y = TOP + PLOT_HEIGHT * (1 - share);
  return html`<path class="grid" d="M${LEFT} ${fixed(y)}H${WIDTH - 4}" />
    <text x="${LEFT - 8}" y="${fixed(y + 4)}" text-anchor="end">${grouped(top * share)}</text>`;
}

function column({ day, counts }: ChartDay, x: number, step: number, top: number): Html {
  let y = TOP + PLOT_HEIGHT;
  const said = KINDS.filter(({ kind }) => counts[kind] > 0).map(
    ({ kind, label }) => `${label} ${grouped(counts[kind])}`,
  );
  return html`<g>
    <title>${day}: ${said.length === 0 ? 'no calls' : said.join(', ')}</title>
    ${KINDS.map(({ kind }) => {
      if (counts[kind] === 0) return false;
      const height = Math.max(MIN_HEIGHT, (counts[kind] / top) * PLOT_HEIGHT);
      y -= height;
      return html`<rect
        class="part ${kind}"
        x="${fixed(x + step * 0.15)}"
        y="${fixed(y)}"
        width="${fixed(step * 0.7)}"
        height="${fixed(height)}"
        ${MARKS[kind] !== null && html`fill="url(#mark-${kind})"`}
      />`;
    })}
  </g>`;
}

function legendEntry(kind: Kind, label: string, by: string, count: number): Html {
  return html`<li>
    <svg class="swatch" viewBox="0 0 24 16" aria-hidden="true">
      <rect class="part ${kind}" width="24" height="16" ${MARKS[kind] !== null && html`fill="url(#mark-${kind})"`} />
    </svg>
    ${label}: <strong>${grouped(count)}</strong>
    <span class="muted">${kind === 'waiting' ? 'at the last report, by the producers' : `by the ${by}`}</span>
  </li>`;
}

function total(counts: KindCounts): number {
  return KINDS.reduce((sum, { kind }) => sum + counts[kind], 0);
}

/** The next of 1, 2 and 5 times a power of ten. */
function roundedUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  return [1, 2, 5, 10].map((times) => times * power).find((limit) => limit >= count) ?? count;
}

function fixed(units: number): string {
  return String(Number(units.toFixed(2)));
}
