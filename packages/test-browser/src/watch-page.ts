import type { Page } from 'puppeteer';

/** Events of a watched page. Both lists grow. */
export interface PageWatch {
  /** Uncaught exceptions and console warnings and errors, including violations of the content security policy. */
  readonly complaints: string[];
  /** Every requested URL except `data:` and `blob:`. */
  readonly requests: string[];
}

/** Starts watching a page; call it before navigation. */
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
