import { html, visible, type Html } from '@cer/pages';
import { grouped } from '../usage/usage-page.js';
import { faultSummary, textField } from '../web/fields.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import { coverageChart, type ChartDay } from './coverage-chart.js';
import { kindsOf, sumOf, type BridgedCoverage, type BridgedDay } from './kinds.js';

export interface CoveragePage {
  readonly coverage: BridgedCoverage;
  readonly appId: string | null;
}

export function coveragePage({ coverage, appId }: CoveragePage): PageAnswer {
  const { from, to, isCounted, days } = coverage;
  return {
    title: 'Coverage',
    body: html`<p class="lead">Is anything missing? How many calls have a certificate, how many do not, and why.</p>
      ${
        !isCounted &&
        html`<p class="notice" role="status">
          The node is still counting its records: certified numbers are too small.
        </p>`
      }
      ${question({ from, to, appId: appId ?? '' })}
      <section class="card" aria-labelledby="chart">
        <h2 id="chart">${from} to ${to}${appId !== null && html`, ${visible(appId)}`}</h2>
        ${coverageChart(chartDays(coverage), waitingOf(days))} ${producerNote(days)}
      </section>
      ${appId === null && applications(coverage)}
      <section aria-labelledby="days">
        <h2 id="days">Day by day</h2>
        ${dayTable(days)}
      </section>
      <section class="card" aria-labelledby="meaning">
        <h2 id="meaning">What the numbers mean</h2>
        <p>
          Certified and refused are the node's own counts; a replay counts nothing, and a request that is refused again
          counts again. Deleted certificates stay counted.
        </p>
        <p>
          Refused before the node are executions and spans that the <a href="/integrations">evidence bridge</a> found at
          fault itself; its own page has their reasons. It counts no application, and a day is that of its report, up to
          a minute later. A request that it could not read at all is in no count, nor is what it refused in the last
          minute before it crashed. Audit packages have the node's counts alone.
          ${appId !== null && html`This page shows one application, so these are not in it.`}
        </p>
        <p>
          The other numbers are what your programs certified of themselves: the client with the setting
          <code>coverage</code>. Seen are their calls. Aborted ones are certified too. Waiting is the state at the last
          report. Skipped by choice and not sealed have no certificate. Programs without that setting are in neither
          count.
        </p>
      </section>`,
  };
}

interface CoverageQuestion {
  readonly from: string;
  readonly to: string;
  readonly appId: string;
  readonly faults?: readonly FormFault[];
}

/** The form alone, with what was typed and its faults: nothing is counted. */
export function faultyCoveragePage(typed: CoverageQuestion): PageAnswer {
  return { title: 'Coverage', status: 400, body: html`${faultSummary(typed.faults)} ${question(typed)}` };
}

function question({ from, to, appId, faults }: CoverageQuestion): Html {
  const day = (name: string, label: string, value: string, hint: string): Html =>
    textField({ name, label, value, optional: true, hint, faults });
  return html`<form method="get" action="/coverage" class="card">
    <div class="filters">
      ${day('from', 'From', from, 'Day in UTC, such as 2026-01-31')} ${day('to', 'To', to, 'Last day; 92 days at most')}
      ${textField({ name: 'app_id', label: 'Application', value: appId, optional: true, faults })}
    </div>
    <p class="acts"><button>Show</button> <a href="/coverage">Last 31 days</a></p>
  </form>`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

function chartDays({ from, to, days }: BridgedCoverage): readonly ChartDay[] {
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const byDay = grouping(days, (row) => row.day);
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.parse(from) + at * DAY_MS).toISOString().slice(0, 10);
    return { day, counts: sumOf((byDay.get(day) ?? []).map(kindsOf)) };
  });
}

/** The rows of each key, in one pass: a tenant may name any number of applications. */
function grouping<Key>(days: readonly BridgedDay[], keyOf: (day: BridgedDay) => Key): ReadonlyMap<Key, BridgedDay[]> {
  const groups = new Map<Key, BridgedDay[]>();
  for (const day of days) {
    const key = keyOf(day);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [day]);
    else group.push(day);
  }
  return groups;
}

/** Calls that wait at the last report of each application. */
function waitingOf(days: readonly BridgedDay[]): number {
  const byName = grouping(days, ({ appId }) => appId);
  return [...byName.values()].reduce((sum, own) => sum + lastWaiting(own), 0);
}

/** A state, not a sum: that of the newest day with a report. */
function lastWaiting(own: readonly BridgedDay[]): number {
  return own.findLast(({ reported }) => reported !== null)?.reported?.waiting ?? 0;
}

/** The counts of producers, beside those of the node. */
function producerNote(days: readonly BridgedDay[]): Html {
  const reported = days.map((day) => day.reported).filter((found) => found !== null);
  if (reported.length === 0) return html`<p>No program reported its own counts in this time.</p>`;
  const sum = (of: (day: (typeof reported)[number]) => number): number =>
    reported.reduce((all, day) => all + of(day), 0);
  const [seen, without] = [sum(({ seen: calls }) => calls), sum((day) => day.skipped + day.unsealed + day.dropped)];
  const unclosed = sum((day) => day.unclosed);
  return html`<p>
    Programs counted ${grouped(seen)} calls, ${grouped(without)} of them without a certificate.
    ${unclosed > 0 && html`${grouped(unclosed)} clients have not closed: they still run, or ended without a last report.`}
  </p>`;
}

function applications({ from, to, days }: BridgedCoverage): Html | false {
  const byName = grouping(days, ({ appId }) => appId);
  const names = [...byName].toSorted(([a], [b]) => (a ?? '').localeCompare(b ?? ''));
  return (
    names.length > 1 &&
    html`<section aria-labelledby="applications">
      <h2 id="applications">Applications</h2>
      <div class="scroll card" role="region" aria-label="Table of applications" tabindex="0">
        <table class="applications">
          <thead>
            <tr>
              <th scope="col">Application</th>
              ${HEADINGS.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${names.map(([name, own]) => {
              const query = new URLSearchParams({ from, to, app_id: name ?? '' }).toString();
              const shown = name === null ? NO_APPLICATION : html`<a href="/coverage?${query}">${visible(name)}</a>`;
              return html`<tr>
                <th scope="row">${shown}</th>
                ${numbers(own)}
              </tr>`;
            })}
          </tbody>
        </table>
      </div>
    </section>`
  );
}

/** A dash would read as "not counted", as it does in the columns of numbers. */
const NO_APPLICATION = 'none';
const HEADINGS = ['Certified', 'Aborted', 'Refused', 'Before the node', 'Waiting', 'Skipped', 'Not sealed', 'Seen'];

function numbers(days: readonly BridgedDay[]): Html {
  const { complete, aborted, refused, bridge, skipped, lost } = sumOf(days.map(kindsOf));
  const waiting = lastWaiting(days);
  const hasReports = days.some(({ reported }) => reported !== null);
  const seen = days.reduce((sum, { reported }) => sum + (reported?.seen ?? 0), 0);
  const byPrograms = (count: number): string => (hasReports ? grouped(count) : '–');
  return html`<td class="number">${grouped(complete + aborted)}</td>
    <td class="number">${byPrograms(aborted)}</td>
    <td class="number">${grouped(refused)}</td>
    <td class="number">${days.some(({ appId }) => appId === null) ? grouped(bridge) : '–'}</td>
    ${[waiting, skipped, lost, seen].map((count) => html`<td class="number">${byPrograms(count)}</td>`)}`;
}

function dayTable(days: readonly BridgedDay[]): Html {
  if (days.length === 0) return html`<p class="card empty">Nothing was certified or refused in this time.</p>`;
  return html`<div class="scroll card" role="region" aria-label="Table of days" tabindex="0">
    <table class="days">
      <thead>
        <tr>
          <th scope="col">Day (UTC)</th>
          <th scope="col">Application</th>
          ${HEADINGS.map((heading) => html`<th scope="col" class="number">${heading}</th>`)}
          <th scope="col">Reasons of refusals</th>
        </tr>
      </thead>
      <tbody>
        ${days.toReversed().map(
          (day) =>
            html`<tr>
              <th scope="row">${day.day}</th>
              <td>${visible(day.appId ?? NO_APPLICATION)}</td>
              ${numbers([day])}
              <td>${reasons(day.refusals)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function reasons(refusals: BridgedDay['refusals']): Html | string {
  const found = Object.entries(refusals);
  if (found.length === 0) return '–';
  return html`${found.map(([code, count], at) => html`${at > 0 && ', '}${breakable(code)} ${grouped(count)}`)}`;
}

/** A code that may break after each of its words. */
function breakable(code: string): readonly (Html | string)[] {
  const [first = '', ...others] = code.split('_');
  return [first, ...others.map((word) => html`_<wbr />${word}`)];
}
