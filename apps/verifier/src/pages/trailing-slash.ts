import { redirect, type Route } from '@cer/http-service';

/**
 * Redirects from a page's address with a slash at its end, as people and programs write it, to the page. One route for
 * each page, so that the target is always a page of this site.
 */
export function trailingSlashRoutes(pages: readonly Route[]): Route[] {
  return pages
    .filter(({ method, path }) => method === 'GET' && path !== '/')
    .map(({ path }) => ({
      method: 'GET',
      path: `${path}/`,
      handler: async (head) => {
        const query = head.query.toString();
        return redirect(`${head.path.slice(0, -1)}${query === '' ? '' : `?${query}`}`, 301);
      },
    }));
}
