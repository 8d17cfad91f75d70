import type { RequestHead } from '../handler/handler.js';

type Head = Pick<RequestHead, 'headers'>;

/** A media range of `Accept` in lower case, with its weight from 0 to 1. */
interface Range {
  readonly name: string;
  readonly weight: number;
  /** Has it parameters besides its weight? */
  readonly isNarrower: boolean;
}

/** Does the client name this media type in `Accept`, in any case and not as one that it refuses (`q=0`)? */
export function accepts(head: Head, mediaType: string): boolean {
  return (weightOfRange(rangesOf(head), mediaType) ?? 0) > 0;
}

/** The weight of a media type: that of the most specific range that covers it, 0 where none does. */
export function weightOf(head: Head, mediaType: string): number {
  const ranges = rangesOf(head);
  const covering = [mediaType, mediaType.replace(/\/.*/, '/*'), '*/*'];
  return covering.map((covers) => weightOfRange(ranges, covers)).find((weight) => weight !== undefined) ?? 0;
}

/** Does the client name `mediaType`, and want it at least as much as `other`? */
export function prefers(head: Head, mediaType: string, other: string): boolean {
  return accepts(head, mediaType) && weightOf(head, mediaType) >= weightOf(head, other);
}

/**
 * The weight of the ranges of this name, undefined without one. Answers have no parameters that a client chooses by, so a
 * range without any decides; of several the highest.
 */
function weightOfRange(ranges: readonly Range[], name: string): number | undefined {
  const named = ranges.filter((range) => range.name === name);
  if (named.length === 0) return undefined;
  const plain = named.filter(({ isNarrower }) => !isNarrower);
  return Math.max(...(plain.length === 0 ? named : plain).map(({ weight }) => weight));
}

function rangesOf({ headers }: Head): readonly Range[] {
  return (headers['accept'] ?? '').split(',').map((range) => {
    const [name = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const weights = parameters.flatMap((parameter) => /^q=([01](?:\.\d*)?)$/.exec(parameter)?.[1] ?? []);
    const isNarrower = parameters.some((parameter) => !parameter.startsWith('q='));
    return { name, weight: Number(weights[0] ?? 1), isNarrower };
  });
}
