import { html, type Html } from '@cer/pages';
import type { Session } from '../store/index.js';

/** Messages of the handoff script, hidden until it shows one. */
export function handoffMessages(session: Session | null, dashboardUrl: string): Html {
  const integrations = html`<p class="acts">
    <a class="button" href="${dashboardUrl}/integrations">Go to the dashboard</a>
  </p>`;
  return html`
    ${message('connecting', 'Connecting', html`<p>One moment.</p>`)}
    ${message(
      'conflict',
      'Another user is connected here',
      html`<p>
          This browser is connected as
          <strong>${session?.user.email ?? 'another user'}</strong
          >${session !== null && html` of <strong>${session.tenantName}</strong>`}. Connecting ends that session.
        </p>
        <p class="acts">
          <button type="button" data-act="replace">End it and connect</button>
          <a href="/">Stay connected as before</a>
        </p>`,
    )}
    ${message(
      'refused',
      'This link cannot be used any more',
      html`<p>Links to the bridge work once and for a short time. Choose Connect again.</p>
        ${integrations}`,
    )}
    ${message(
      'not-included',
      'The bridge is not part of this account',
      html`<p>Ask the operator of the service for a plan that includes it.</p>
        ${integrations}`,
    )}
    ${message(
      'unreachable',
      'The connection could not be made',
      html`<p>A service that this needs does not answer now. The link stays valid for about a minute.</p>
        <p class="acts"><button type="button" data-act="retry">Try again</button></p>`,
    )}
  `;
}

function message(name: string, title: string, body: Html): Html {
  return html`<section class="card" data-handoff="${name}" tabindex="-1" aria-live="polite" hidden>
    <h1>${title}</h1>
    ${body}
  </section>`;
}
