export function judge(
  samples: readonly object[],
): readonly { quantity: string; first: number | null; last: number | null; isFlat: boolean }[];
