import type { DescribedRoute } from '../openapi/route-description.js';
import type { FormFault } from '../web/form.js';
import type { PageAnswer } from '../web/page-answer.js';
import type { Pages } from '../web/pages.js';
import type { Sessions } from '../web/sessions.js';
import { codePage } from './code-page.js';
import type { SecondStep } from './second-step.js';
import type { ShowSignIn, SignInWays } from './sign-in-page.js';
import { passwordsAreOff, tooManyAttempts } from './refusals.js';

export interface CodeRoutesDeps {
  readonly pages: Pages;
  readonly sessions: Sessions;
  readonly secondStep: SecondStep;
  readonly destination: (wanted: string | null) => string;
  readonly ways: SignInWays;
  readonly showSignIn: ShowSignIn;
}

const REFUSED: readonly FormFault[] = [
  { field: 'code', sentence: 'The code is not right, or was used before. Wait for the next one.' },
];
const OVER: readonly FormFault[] = [{ field: 'email', sentence: 'That took too long. Sign in again.' }];

/** The second step of signing in. */
export function codeRoutes(deps: CodeRoutesDeps): readonly DescribedRoute[] {
  const { pages, sessions, secondStep, destination, ways, showSignIn } = deps;
  return [
    pages.readView('/sign-in/code', 'Leads to signing in', async () => ({ goTo: '/sign-in' })),
    pages.openAct(
      '/sign-in/code',
      { summary: 'Sign in with a code', fields: ['ticket', 'code', 'to'], statuses: [429] },
      async ({ head, formToken }, fields) => {
        if (!ways.hasPassword) throw passwordsAreOff();
        const to = destination(fields.get('to'));
        const ticket = fields.get('ticket') ?? '';
        const page = (faults: readonly FormFault[]): PageAnswer => codePage({ formToken, ticket, to, faults });
        const result = await secondStep.finish({ ticket, code: fields.get('code') ?? '', binding: formToken, head });
        switch (result.outcome) {
          case 'over':
            return { ...(await showSignIn({ formToken, to, faults: OVER })), status: 422 };
          case 'refused':
            return { ...page(REFUSED), status: 422 };
          case 'limited':
            return {
              ...page([tooManyAttempts('code', result.retryAfterS)]),
              status: 429,
              retryAfterS: result.retryAfterS,
            };
          case 'signed-in':
            return { goTo: to, cookies: [await sessions.start(head, result.user), result.deviceCookie] };
        }
      },
    ),
  ];
}
