import { USAGE_KINDS } from '@cer/control-plane';
import { html, type Html } from '@cer/pages';
import type { Plan, UsageDay } from '../store/index.js';
import type { PageAnswer } from '../web/page-answer.js';
import { byDay, countsOf, executionsIn } from './month.js';

/** @param firstOfMonth `YYYY-MM-DD`, where the current month's sums begin */
export function usagePage(plan: Plan, days: readonly UsageDay[], firstOfMonth: string): PageAnswer {
  const month = countsOf(days.filter(({ day }) => day >= firstOfMonth));
  const { requestsPerMinute, executionsPerMonth } = plan.limits;
  return {
    title: 'Plan and usage',
    body: html`<section class="card" aria-labelledby="plan">
        <h2 id="plan">Plan: ${plan.name}</h2>
        <dl>
          <div>
            <dt>Executions per month</dt>
            <dd>${amount(executionsPerMonth)}</dd>
          </div>
          <div>
            <dt>Requests per minute</dt>
            <dd>${amount(requestsPerMinute)}</dd>
          </div>
          <div>
            <dt>Evidence bridge</dt>
            <dd>${plan.bridge ? 'included' : 'not included'}</dd>
          </div>
        </dl>
        <p class="muted">The operator of this service changes plans.</p>
      </section>
      <section class="card" aria-labelledby="month">
        <h2 id="month">This month, since ${firstOfMonth}</h2>
        ${meter(executionsIn(month), executionsPerMonth)}
        <dl>
          ${USAGE_KINDS.map(
            (kind) =>
              html`<div>
                <dt>${kind}</dt>
                <dd>${grouped(month[kind])}</dd>
              </div>`,
          )}
        </dl>
        <p class="muted">
          Executions are certify and render. What came by the evidence bridge is in certify and in ingest; what the
          bridge refused before it asked the node is in refused and uses nothing.
        </p>
      </section>
      <section aria-labelledby="days">
        <h2 id="days">Day by day</h2>
        ${dayTable(days)}
      </section>`,
  };
}

function meter(used: number, limit: number | null): Html {
  if (limit === null) return html`<p class="figure">${grouped(used)} <span class="muted">executions</span></p>`;
  const share = Math.min(used / limit, 1);
  return html`<p class="figure">${grouped(used)} <span class="muted">of ${grouped(limit)} executions</span></p>
    <meter min="0" max="1" high="0.9" value="${share.toFixed(4)}" aria-label="Share of the monthly executions used">
      ${Math.round(share * 100)} %
    </meter>`;
}

function dayTable(days: readonly UsageDay[]): Html {
  const rows = byDay(days);
  if (rows.length === 0) return html`<p class="card empty">Nothing was used in the last month.</p>`;
  return html`<div class="scroll card" role="region" aria-label="Table of days" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Day (UTC)</th>
          ${USAGE_KINDS.map((kind) => html`<th scope="col" class="number">${kind}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ day, counts }) =>
            html`<tr>
              <th scope="row">${day}</th>
              ${USAGE_KINDS.map((kind) => html`<td class="number">${grouped(counts[kind])}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function amount(limit: number | null): string {
  return limit === null ? 'no limit' : grouped(limit);
}

export function grouped(count: number): string {
  return count.toLocaleString('en');
}
