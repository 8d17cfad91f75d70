import type { RequestHead } from '../handler/handler.js';

type Head = Pick<RequestHead, 'headers'>;

/** A media range of `Accept` in lower case, with its weight from 0 to 1. */
interface Range {
  readonly name: string;
  readonly weight: number;
}

/** Does the client name this media type in `Accept`, in any case and not as one that it refuses (`q=0`)? */
export function accepts(head: Head, mediaType: string): boolean {
  return rangesOf(head).some(({ name, weight }) => name === mediaType && weight > 0);
}

/** The weight of a media type: that of the most specific range that covers it, 0 where none does. */
export function weightOf(head: Head, mediaType: string): number {
  const ranges = rangesOf(head);
  const covering = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*'];
  const found = covering
    .map((covers) => ranges.find(({ name }) => name === covers))
    .find((range) => range !== undefined);
  return found?.weight ?? 0;
}

/** Does the client name `mediaType`, and want it at least as much as `other`? */
export function prefers(head: Head, mediaType: string, other: string): boolean {
  return accepts(head, mediaType) && weightOf(head, mediaType) >= weightOf(head, other);
}

function rangesOf({ headers }: Head): readonly Range[] {
  return (headers['accept'] ?? '').split(',').map((range) => {
    const [name = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const weights = parameters.flatMap((parameter) => /^q=([01](?:\.\d*)?)$/.exec(parameter)?.[1] ?? []);
    return { name, weight: Number(weights[0] ?? 1) };
  });
}
