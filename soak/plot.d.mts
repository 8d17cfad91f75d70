export function plot(samples: readonly object[], title: string): string;
