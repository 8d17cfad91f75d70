import type { VNode } from 'preact';
import type { CertificateCheck, ShownMember } from '../check/check-result.js';
import { Hash } from './copy-block.js';
import { Fact } from './fact.js';
import { TEXTS } from './texts.js';

const T = TEXTS.content;

/** The content of the record, as plain text only. */
export function Content({ check }: { readonly check: CertificateCheck }): VNode | null {
  const { members, signals, status } = check;
  if (members.length === 0 && signals.length === 0) return null;
  return (
    <section class="card" aria-labelledby="content-title">
      <h2 id="content-title">{T.title}</h2>
      {status === 'FAILED' && <p class="warning">{T.unconfirmed}</p>}
      <dl class="facts">
        {members.map((member) => (
          <Fact
            key={member.path}
            name={member.path.replace(/^snapshot\./, '')}
            note={member.path === 'meta.metadata' ? T.notHashed : null}
          >
            <MemberValue member={member} />
          </Fact>
        ))}
      </dl>
      {signals.length > 0 && (
        <>
          <h3>{T.signals}</h3>
          <div class="scroll" tabIndex={0} role="region" aria-label={T.signals}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{T.signalType}</th>
                  <th scope="col">{T.signalSource}</th>
                  <th scope="col">{T.signalPayload}</th>
                </tr>
              </thead>
              <tbody>
                {signals.map((signal, index) => (
                  <tr key={index}>
                    <td>{signal.type}</td>
                    <td>{signal.source}</td>
                    <td>
                      <pre class="inline">{signal.payload}</pre>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      <p class="note">{T.note}</p>
    </section>
  );
}

function MemberValue({ member: { kind, value } }: { readonly member: ShownMember }): VNode {
  switch (kind) {
    case 'hash':
      return <Hash value={value} />;
    case 'sealed':
      return (
        <>
          {T.sealed}
          <Hash value={value} />
        </>
      );
    case 'withheld':
      return <span class="withheld">{T.withheld}</span>;
    case 'json':
      return <pre class="inline">{value}</pre>;
    case 'text':
      return <span class="text">{value}</span>;
  }
}
