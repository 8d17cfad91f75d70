import type { VNode } from 'preact';
import { TEXTS } from './texts.js';

const T = TEXTS.limited;

/** The page of a rate-limited visitor: how long to wait, and how to verify without this site. */
export function LimitedPage({ seconds }: { readonly seconds: number }): VNode {
  return (
    <>
      <h1>{T.title}</h1>
      <p class="lead">{T.lead}</p>
      <p class="card" data-retry-after={seconds}>
        {T.wait}
        <b>{seconds}</b>
        {T.seconds}
      </p>
      <p>
        {T.offline}
        <code>cer verify certificate.json --keys keys.json</code>
      </p>
    </>
  );
}
