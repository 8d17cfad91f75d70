import { redirect, ServiceError, type Handler, type RequestHead, type ServiceResponse } from '@cer/http-service';
import type { Logger } from '@cer/http-service/process';
import { html } from '@cer/pages';
import { randomToken } from '../account/random-token.js';
import { mayAct, standingRefusal, type ActBy } from '../account/role.js';
import { STATUS, translateError } from '../errors.js';
import type { DescribedRoute } from '../openapi/route-description.js';
import { SESSION_COOKIE, cookieToken, setCookie, VISIT_COOKIE } from './cookies.js';
import { FORM_TOKEN } from './fields.js';
import { formTokenOf, refuseForgery, refuseOtherSite } from './forgery.js';
import { FORM_TYPE, formFields } from './form.js';
import type { PageAnswer, PageResponder } from './page-answer.js';
import { pageDescription, type PageWords } from './page-description.js';
import type { LiveSession, Sessions } from './sessions.js';

export interface PagesDeps {
  readonly sessions: Sessions;
  readonly respond: PageResponder;
  readonly logger: Logger;
  /** The origin that forms must come from. */
  readonly publicUrl: string;
}

/** A request with a session. */
export interface SignedIn {
  readonly head: RequestHead;
  readonly session: LiveSession;
  readonly formToken: string;
}

/** A request that may lack a session. */
export interface Visit {
  readonly head: RequestHead;
  readonly formToken: string;
}

/** A request whose session may have ended. */
export interface Visitor {
  readonly head: RequestHead;
  readonly session: LiveSession | null;
}

/** An answer that is not a page, such as a download. */
interface FileAnswer {
  readonly file: ServiceResponse;
}

type Shown = PageAnswer | FileAnswer | { readonly goTo: string; readonly cookies?: readonly string[] };

/** Makes routes whose answers are pages, refusals included. */
export interface Pages {
  /** A page that needs a session; other requests are redirected to sign in. */
  view(path: string, words: PageWords, show: (visitor: SignedIn) => Promise<Shown>): DescribedRoute;
  /** A change by a form of this site; needs a session of a person with the required role. */
  act(
    path: string,
    by: ActBy,
    words: PageWords,
    act: (visitor: SignedIn, fields: URLSearchParams) => Promise<Shown>,
    /** Of its body, where a form may be longer than others. */
    limitBytes?: number,
  ): DescribedRoute;
  /** The form that ends a session; it also works when the session has ended. */
  signOut(path: string, words: PageWords, act: (visitor: Visitor) => Promise<Shown>): DescribedRoute;
  /** A page that needs no session. */
  openView(path: string, words: PageWords, show: (visit: Visit) => Promise<Shown>): DescribedRoute;
  /** A page that needs no session and has no form: it sets no cookie. */
  readView(path: string, words: PageWords, show: (head: RequestHead) => Promise<Shown>): DescribedRoute;
  /** A form that needs no session. */
  openAct(
    path: string,
    words: PageWords,
    act: (visit: Visit, fields: URLSearchParams) => Promise<Shown>,
  ): DescribedRoute;
}

/** Maximum size of a form, in bytes. */
export const FORM_LIMIT_BYTES = 64 * 1024;

export function createPages({ sessions, respond, logger, publicUrl }: PagesDeps): Pages {
  type Description = DescribedRoute['description'];
  const guard: NonNullable<DescribedRoute['within']> = async (head, work) => {
    try {
      refuseNul(head);
      return await work();
    } catch (error) {
      return respond(refusalPage(error, head.requestId, logger));
    }
  };
  const get = (path: string, description: Description, handler: Handler): DescribedRoute => ({
    method: 'GET',
    path,
    description,
    within: guard,
    handler,
  });
  const post = (
    path: string,
    description: Description,
    handler: Handler,
    bodyLimitBytes = FORM_LIMIT_BYTES,
  ): DescribedRoute => ({
    method: 'POST',
    path,
    description,
    mediaTypes: [FORM_TYPE],
    bodyLimitBytes,
    // A body that is cut off, too large or of another type is not answered by a page.
    handler: (request) => guard(request, () => handler(request)),
  });
  const views = new Set<string>();
  const signedIn = async (head: RequestHead): Promise<SignedIn | null> => {
    const session = await sessions.of(head);
    return session === null ? null : { head, session, formToken: formTokenOf(session.token) };
  };
  const send = (shown: Shown, visitor?: SignedIn): ServiceResponse => {
    if ('file' in shown) return shown.file;
    if ('goTo' in shown) {
      return { ...redirect(shown.goTo, 303), ...(shown.cookies !== undefined && { cookies: shown.cookies }) };
    }
    if (visitor === undefined) return respond(shown);
    const { session, formToken, head } = visitor;
    return respond(shown, { session, formToken, path: head.path });
  };

  return {
    view: (path, words, show) => {
      views.add(path);
      return get(path, pageDescription('view', words), async (request) => {
        const visitor = await signedIn(request);
        if (visitor === null) return send({ goTo: signInPath(request) });
        return send(await show(visitor), visitor);
      });
    },
    act: (path, by, words, act, limitBytes) =>
      post(
        path,
        pageDescription('form', words),
        async (request) => {
          const fields = formFields(request);
          refuseOtherSite(request, publicUrl);
          // Without a cookie there is no session, so forging is harmless.
          const token = cookieToken(request, SESSION_COOKIE);
          if (token !== undefined) refuseForgery(request, publicUrl, token, fields.get(FORM_TOKEN));
          const visitor = await signedIn(request);
          if (visitor === null) return send({ goTo: endedPath(views.has(path) ? request.path : '/') });
          refuseStanding(visitor.session, by);
          return send(await act(visitor, fields), visitor);
        },
        limitBytes,
      ),
    signOut: (path, words, act) =>
      post(path, pageDescription('form', words), async (request) => {
        const token = cookieToken(request, SESSION_COOKIE);
        // Without a cookie no session ends, so forging is harmless.
        if (token !== undefined) refuseForgery(request, publicUrl, token, formFields(request).get(FORM_TOKEN));
        return send(await act({ head: request, session: await sessions.of(request) }));
      }),
    openView: (path, words, show) =>
      get(path, pageDescription('open view', words), async (request) => {
        const known = cookieToken(request, VISIT_COOKIE);
        const token = known ?? randomToken();
        const shown = await show({ head: request, formToken: formTokenOf(token) });
        if (known !== undefined || 'file' in shown) return send(shown);
        return send({ ...shown, cookies: [...(shown.cookies ?? []), setCookie(VISIT_COOKIE, token)] });
      }),
    readView: (path, words, show) =>
      get(path, pageDescription('open view', words), async (request) => send(await show(request))),
    openAct: (path, words, act) =>
      post(path, pageDescription('open form', words), async (request) => {
        const fields = formFields(request);
        const token = cookieToken(request, VISIT_COOKIE);
        refuseForgery(request, publicUrl, token, fields.get(FORM_TOKEN));
        return send(await act({ head: request, formToken: formTokenOf(token ?? '') }, fields));
      }),
  };
}

/**
 * No id or filter has the character NUL, and PostgreSQL fails at a text with it.
 * @throws ServiceError NOT_FOUND for one in the path, VALIDATION_ERROR for one in the query
 */
function refuseNul({ params, query }: Pick<RequestHead, 'params' | 'query'>): void {
  if (Object.values(params).some((value) => value.includes('\0'))) {
    throw new ServiceError({ code: 'NOT_FOUND', message: 'There is nothing at this address.' });
  }
  if ([...query.values()].some((value) => value.includes('\0'))) {
    throw new ServiceError({ code: 'VALIDATION_ERROR', message: 'The address must not contain the character NUL.' });
  }
}

/** Whether the reader of a page may use an owner's forms. */
export function mayChange({ tenant, user }: Pick<LiveSession, 'tenant' | 'user'>): boolean {
  return tenant.status === 'active' && mayAct(user, 'owner');
}

/** Whether the reader of a page may certify a review. */
export function mayReview({ tenant, user }: Pick<LiveSession, 'tenant' | 'user'>): boolean {
  return tenant.status === 'active' && mayAct(user, 'reviewer');
}

/** @throws ServiceError FORBIDDEN for a suspended account, and for a role without permission */
function refuseStanding({ tenant, user }: LiveSession, by: ActBy): void {
  if (!mayAct(user, by)) throw new ServiceError({ code: 'FORBIDDEN', message: standingRefusal(user) });
  if (tenant.status === 'suspended') {
    throw new ServiceError({ code: 'FORBIDDEN', message: 'This account is suspended: nothing can be changed.' });
  }
}

/** The sign-in page, which leads back to the requested page of this site, with its query. */
function signInPath({ path, query }: RequestHead): string {
  const to = query.size === 0 ? path : `${path}?${query.toString()}`;
  return to === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`;
}

/** The sign-in page after a form whose session has ended: it says so, and leads back to the page of the form. */
function endedPath(to: string): string {
  return `/sign-in?done=session-ended&to=${encodeURIComponent(to)}`;
}

function refusalPage(error: unknown, requestId: string, logger: Logger): PageAnswer {
  const refused: ServiceError | undefined = error instanceof ServiceError ? error : translateError(error);
  const statuses = new Map<string, number>(Object.entries(STATUS));
  const status = refused === undefined ? undefined : statuses.get(refused.code);
  if (refused === undefined || status === undefined || status >= 500) {
    logger.error({ requestId, err: error }, 'page failed');
  }
  const title = status === 404 ? 'Not found' : status === 403 ? 'Not allowed' : 'This did not work';
  const { message, details } = refused?.refusal ?? {};
  const faults = details === undefined ? undefined : `${details.join('; ')}.`;
  const sentence = message ?? faults ?? 'Something failed on our side. Try again in a moment.';
  return {
    title,
    status: status ?? 500,
    body: html`<p>${sentence}</p>
      <p><a href="/">Go to the overview</a></p>
      <p class="muted">Request <code>${requestId}</code></p>`,
  };
}
