import type { VNode } from 'preact';
import { TEXTS } from '../../view/texts.js';
import type { Engine } from '../engine.js';
import { TrustPanel } from './trust-panel.js';

const T = TEXTS.log.policy;

interface LogPolicyPanelProps {
  readonly id: string;
  readonly engine: Engine;
  /** The text of the policy; null: none is chosen. */
  readonly onPolicy: (text: string | null) => void;
}

/** The logs and witnesses that the visitor trusts. */
export function LogPolicyPanel({ id, engine, onPolicy }: LogPolicyPanelProps): VNode {
  return (
    <TrustPanel
      id={id}
      accept=".txt,text/plain"
      texts={T}
      list={(text) => engine.ask('policy', { text })}
      items={({ logs, witnesses }) =>
        [...logs.map((name) => [T.log, name]), ...witnesses.map((name) => [T.witness, name])].map(([role, name]) => (
          <li key={`${role} ${name}`}>
            {role}: <b>{name}</b>
          </li>
        ))
      }
      onText={onPolicy}
    />
  );
}
