/** Whether there is a Python that clients/python supports. */
export function hasPython(): boolean;

/** Installs the packages of a list of clients/python/tests, and finds their Python. */
export function ensurePython(options?: {
  readonly log?: (line: string) => void;
  readonly list?: string;
  readonly minor?: number;
}): { readonly python: string } | { readonly python: undefined; readonly reason: string };
