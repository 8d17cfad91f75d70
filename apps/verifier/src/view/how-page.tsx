import type { VNode } from 'preact';
import { TEXTS } from './texts.js';

const T = TEXTS.how;

export function HowPage(): VNode {
  return (
    <article class="prose">
      <h1>{T.title}</h1>
      {T.paragraphs.map(({ title, text }) => (
        <section key={title}>
          <h2>{title}</h2>
          <p>{text}</p>
        </section>
      ))}
      <section>
        <h2>{T.layers}</h2>
        <dl class="how-layers">
          {(['integrity', 'receipt', 'envelope'] as const).map((name) => (
            <div key={name}>
              <dt>{TEXTS.layers[name].name}</dt>
              <dd>{TEXTS.layers[name].PASS}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2>{TEXTS.scope.provesNot}</h2>
        <ul>
          {[TEXTS.scope.notCorrect, TEXTS.scope.notTime, TEXTS.scope.notReplay, TEXTS.scope.notWitness].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      <section id="command-line">
        <h2>{T.cli}</h2>
        <p>{T.cliNote}</p>
        <pre tabIndex={0} role="region" aria-label={T.cli}>
          cer verify certificate.json --keys keys.json
        </pre>
      </section>
    </article>
  );
}
