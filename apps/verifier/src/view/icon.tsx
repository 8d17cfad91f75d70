import type { VNode } from 'preact';

export type IconName = 'pass' | 'fail' | 'skipped' | 'unknown' | 'neutral' | 'pending' | 'seal';

const PATHS: Readonly<Record<IconName, string>> = {
  pass: 'M5 12.5l4.5 4.5L19 7.5',
  fail: 'M7 7l10 10M17 7L7 17',
  skipped: 'M6 12h12',
  unknown: 'M9 9.2a3 3 0 1 1 4.4 2.7c-.9.5-1.4 1.1-1.4 2.1v.5M12 18v.1',
  neutral: 'M8 9h8M8 12h8M8 15h5',
  pending: 'M12 7v5l3.5 2',
  seal: 'M12 3l7 3v5c0 4.6-2.9 8.3-7 10-4.1-1.7-7-5.4-7-10V6zM9 11.8l2.2 2.2 4-4.2',
};

/** Decoration: the words beside it say the same. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="2.2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
