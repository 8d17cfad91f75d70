import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One request as it is on the wire: the path is sent unchanged and redirects are not followed. */
export function ask(base: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers: { accept: 'text/html', ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    sent.on('error', reject).end();
  });
}

/** The verdict element of a page. */
export function verdictOf({ text }: Answer): string | undefined {
  return /data-verdict="([A-Z_]+)"/.exec(text)?.[1];
}

export function toneOf({ text }: Answer): string | undefined {
  return /data-tone="([a-z]+)"/.exec(text)?.[1];
}
