import type { Page } from 'puppeteer';

/** What went by on a page since it is watched. Both lists grow. */
export interface PageWatch {
  /** What was thrown and what the console reports as a warning or error, breaches of the content security policy too. */
  readonly complaints: string[];
  /** Every address that was asked for; `data:` and `blob:` are none. */
  readonly requests: string[];
}

/** Watches a page from now on: call it before the page is opened. */
export function watchPage(page: Page): PageWatch {
  const watch: PageWatch = { complaints: [], requests: [] };
  page.on('pageerror', (error) => watch.complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') watch.complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url())) watch.requests.push(request.url());
  });
  return watch;
}
