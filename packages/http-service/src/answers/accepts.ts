import type { RequestHead } from '../handler/handler.js';

/** Does the client name this media type in `Accept`, in any case and not as one that it refuses (`q=0`)? */
export function accepts({ headers }: Pick<RequestHead, 'headers'>, mediaType: string): boolean {
  return (headers['accept'] ?? '').split(',').some((range) => {
    const [name, ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    return name === mediaType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
