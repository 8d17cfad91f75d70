import { html, type Html } from '@cer/pages';
import { actList } from '../activity/activity-page.js';
import type { AccountAct, Tenant } from '../store/index.js';
import { grouped } from '../usage/usage-page.js';
import type { PageAnswer } from '../web/page-answer.js';

export interface Overview {
  readonly tenant: Tenant;
  readonly workingKeys: number;
  /** This month's. */
  readonly executions: number;
  readonly acts: readonly AccountAct[];
  readonly notice?: string | undefined;
}

export function overviewPage({ tenant, workingKeys, executions, acts, notice }: Overview): PageAnswer {
  const { plan, status } = tenant;
  return {
    title: 'Overview',
    notice,
    body: html`<ul class="tiles">
        ${tile('/usage', 'Executions this month', grouped(executions))}
        ${tile('/keys', 'Working API keys', grouped(workingKeys))} ${tile('/usage', 'Plan', plan.name)}
        ${tile('/integrations', 'Evidence bridge', plan.bridge ? 'included' : 'not included')}
      </ul>
      ${
        workingKeys === 0 &&
        status === 'active' &&
        html`<section class="card" aria-labelledby="first">
          <h2 id="first">First steps</h2>
          <ol>
            <li><a href="/keys">Create an API key</a> for your software.</li>
            <li><a href="/integrations">Point it at the node or the bridge</a>.</li>
            <li><a href="/settings">Choose what the public may see</a>.</li>
          </ol>
        </section>`
      }
      <section aria-labelledby="latest">
        <h2 id="latest">Latest activity</h2>
        ${actList(acts)}
        <p><a href="/activity">All activity</a></p>
      </section>`,
  };
}

function tile(href: string, name: string, value: string): Html {
  return html`<li>
    <a class="card tile" href="${href}"><span class="muted">${name}</span><strong>${value}</strong></a>
  </li>`;
}
