import { generateSync } from 'otplib';

/** What an owner types to sign in. */
export interface Owner {
  readonly email: string;
  readonly password: string;
}

/** Duration of a code of an authenticator app, in s. */
const STEP_S = 30;

/** A browser that keeps cookies and sends forms as the pages of a dashboard do. */
class Browser {
  readonly #url: string;
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();
  #page = '';

  constructor(url: string, origin: string) {
    this.#url = url;
    this.#origin = origin;
  }

  /** @returns the status of the page */
  async get(path: string): Promise<number> {
    return this.#show(path, {});
  }

  /** Sends a form of the last page. @returns the status of the response */
  async post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<number> {
    const body = new URLSearchParams({ form_token: this.field('form_token'), ...fields });
    return this.#show(path, { method: 'POST', body });
  }

  /** The value of a field of the last page; empty without the field. */
  field(name: string): string {
    return new RegExp(`name="${name}" value="([^"]+)"`).exec(this.#page)?.[1] ?? '';
  }

  /** The first code element of the last page. */
  code(): string {
    return /<code>([^<]+)<\/code>/.exec(this.#page)?.[1] ?? '';
  }

  async signIn(owner: Owner): Promise<number> {
    await this.get('/sign-in');
    return this.post('/sign-in', { ...owner });
  }

  async #show(path: string, init: RequestInit): Promise<number> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { origin: this.#origin, cookie };
    const answer = await fetch(this.#url + path, { ...init, headers, redirect: 'manual' });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    this.#page = await answer.text();
    return answer.status;
  }
}

/**
 * Signs in to a dashboard as its page does.
 * @param origin where the dashboard believes to be served
 * @returns the status of the start page, requested with the new session
 */
export async function signIn(url: string, owner: Owner, origin = url): Promise<number> {
  const browser = new Browser(url, origin);
  await browser.signIn(owner);
  return browser.get('/');
}

/** As signIn, for an owner who has an authenticator app, with the code that follows the one of the present. */
export async function signInWithCode(url: string, owner: Owner, secret: string): Promise<number> {
  const browser = new Browser(url, url);
  await browser.signIn(owner);
  await browser.post('/sign-in/code', { ticket: browser.field('ticket'), code: codeIn(secret, STEP_S) });
  return browser.get('/');
}

/** Gives an owner an authenticator app. @returns its secret */
export async function addAuthenticator(url: string, owner: Owner): Promise<string> {
  const browser = new Browser(url, url);
  await browser.signIn(owner);
  await browser.get('/security');
  await browser.post('/security/authenticator');
  const secret = browser.code().replaceAll(' ', '');
  const code = codeIn(secret, 0);
  const status = await browser.post('/security/authenticator/confirm', { sealed: browser.field('sealed'), code });
  if (status !== 200) throw new Error(`the authenticator app was not added: ${status}`);
  return secret;
}

function codeIn(secret: string, seconds: number): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + seconds });
}
