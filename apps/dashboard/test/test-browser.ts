import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { OWNER_EMAIL, PASSWORD, PUBLIC_URL } from './test-dashboard.js';

/** A minimal browser: keeps cookies, sends its origin and the token of the last form. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #app: Express;
  readonly #address: string;
  #formToken: string | undefined;

  constructor(app: Express, address = '192.0.2.1') {
    this.#app = app;
    this.#address = address;
  }

  async get(path: string): Promise<Response> {
    return this.#keep(
      await request(this.#app)
        .get(path)
        .set({ Cookie: this.#cookieHeader(), Accept: 'text/html', 'X-Forwarded-For': this.#address }),
    );
  }

  /** Sends a form like the last page. An `undefined` header is left out. */
  async post(
    path: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Response> {
    const body = new URLSearchParams();
    body.set('form_token', this.#formToken ?? '');
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name);
      for (const one of typeof value === 'string' ? [value] : value) body.append(name, one);
    }
    let call = request(this.#app).post(path).type('form').set('Cookie', this.#cookieHeader());
    const named: Readonly<Record<string, string | undefined>> = {
      Origin: PUBLIC_URL,
      'X-Forwarded-For': this.#address,
      ...headers,
    };
    for (const [name, value] of Object.entries(named)) {
      if (value !== undefined) call = call.set(name, value);
    }
    return this.#keep(await call.send(body.toString()));
  }

  async signIn(email = OWNER_EMAIL, password = PASSWORD): Promise<Response> {
    await this.get('/sign-in');
    const answer = await this.post('/sign-in', { email, password });
    if (answer.status === 303) await this.get('/');
    return answer;
  }

  #keep(answer: Response): Response {
    const set: unknown = answer.headers['set-cookie'];
    for (const cookie of Array.isArray(set) ? set.map(String) : []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (cookie.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.#formToken = /name="form_token" value="([^"]+)"/.exec(answer.text)?.[1] ?? this.#formToken;
    return answer;
  }

  #cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
