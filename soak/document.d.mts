export function withSoak(
  document: string,
  facts: {
    readonly date: string;
    readonly minutes: number;
    readonly capacity: number;
    readonly rate: number;
    readonly requests: number;
    readonly leftOut: number;
    readonly errors: number;
    readonly loadAverage: { readonly lowest: number; readonly median: number; readonly highest: number };
    readonly errorsByReason: Readonly<Record<string, number>>;
    readonly judged: readonly { quantity: string; first: number | null; last: number | null; isFlat: boolean }[];
  },
): string;
