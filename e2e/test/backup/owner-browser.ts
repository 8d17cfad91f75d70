/**
 * Signs in to a dashboard as its page does.
 * @param origin where the dashboard believes to be served
 * @returns the status of the start page, requested with the new session
 */
export async function signIn(
  url: string,
  fields: { readonly email: string; readonly password: string },
  origin = url,
): Promise<number> {
  const page = await fetch(`${url}/sign-in`);
  const formToken = /name="form_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const answer = await fetch(`${url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, cookie: cookiesOf(page) },
    body: new URLSearchParams({ form_token: formToken, ...fields }),
  });
  const start = await fetch(url, { redirect: 'manual', headers: { cookie: cookiesOf(answer) } });
  return start.status;
}

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
