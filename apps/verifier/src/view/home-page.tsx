import type { VNode } from 'preact';
import { TEXTS } from './texts.js';

const T = TEXTS.lookup;

export function HomePage(): VNode {
  return (
    <>
      <h1>{T.title}</h1>
      <p class="lead">{T.lead}</p>
      <form class="card lookup" action="/lookup" method="get" role="search">
        <label for="lookup-query">{T.label}</label>
        <div class="lookup-row">
          <input
            id="lookup-query"
            name="q"
            type="search"
            required
            maxLength={2048}
            placeholder={T.placeholder}
            autocomplete="off"
            spellcheck={false}
          />
          <button type="submit" class="button">
            {T.submit}
          </button>
        </div>
        <p class="note">{T.badHash}</p>
      </form>
      <div id="tools">
        <section class="card">
          <h2>{TEXTS.tools.title}</h2>
          <p>{TEXTS.tools.lead}</p>
          <noscript>
            <p class="warning">{TEXTS.tools.needScript}</p>
          </noscript>
        </section>
      </div>
    </>
  );
}
