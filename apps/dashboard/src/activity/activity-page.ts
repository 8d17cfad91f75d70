import { html, type Html } from '@cer/pages';
import type { AccountAct } from '../store/index.js';
import { moment } from '../web/moments.js';
import type { PageAnswer } from '../web/page-answer.js';

/** @param limit acts that the page shows; the export has all */
export function activityPage(acts: readonly AccountAct[], limit: number): PageAnswer {
  const older = acts.length === limit && html`These are the newest ${String(limit)}; the export has all.`;
  return {
    title: 'Activity',
    body: html`<p class="lead">
        Who did what in this account, newest first. ${older} <a href="/activity/export">Export as NDJSON</a>
      </p>
      ${actList(acts)}`,
  };
}

export function actList(acts: readonly AccountAct[]): Html {
  if (acts.length === 0) return html`<p class="card empty">Nothing yet.</p>`;
  return html`<ol class="log card">
    ${acts.map(
      ({ at, act, subject, actor }) =>
        html`<li>
          <p><strong>${act}</strong>${subject !== '' && subject !== actor && html`<span>${subject}</span>`}</p>
          <p class="muted">${moment(at)} · ${actor}</p>
        </li>`,
    )}
  </ol>`;
}
