import type { ComponentChildren, VNode } from 'preact';
import type { Outcome, Tone } from '../check/headline.js';
import { Icon, type IconName } from './icon.js';
import { TEXTS } from './texts.js';

export const TONE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'pass',
  bad: 'fail',
  unknown: 'unknown',
  neutral: 'neutral',
};

interface VerdictProps {
  readonly outcome: Outcome;
  /** The party that came to this verdict: server, browser or both. */
  readonly by: 'server' | 'browser' | 'file';
  readonly children?: ComponentChildren;
}

/** The verdict, in words, colour and icon. */
export function Verdict({ outcome, by, children }: VerdictProps): VNode {
  const { title, lead } = TEXTS.headlines[outcome.headline];
  return (
    <div
      class={`verdict tone-${outcome.tone}`}
      data-verdict={outcome.verdict}
      data-tone={outcome.tone}
      data-checked-by={by}
      role="status"
    >
      <span class="verdict-mark">
        <Icon name={TONE_ICONS[outcome.tone]} />
      </span>
      <div class="verdict-words">
        <p class="verdict-title">{title}</p>
        <p class="verdict-lead">{lead}</p>
        {children}
      </div>
    </div>
  );
}

/** Shown until the browser has its own result: the server's verdict in words, without its colour. */
export function PendingVerdict({
  server,
  progress = null,
}: {
  readonly server: Outcome;
  /** Steps of a project. */
  readonly progress?: { readonly done: number; readonly total: number } | null;
}): VNode {
  return (
    <div class="verdict tone-pending" data-verdict="CHECKING" data-tone="pending" role="status">
      <span class="verdict-mark">
        <Icon name="pending" />
      </span>
      <div class="verdict-words">
        <p class="verdict-title">{TEXTS.checking.title}</p>
        <p class="verdict-lead">{TEXTS.checking.lead}</p>
        <CheckedBy lines={[[TEXTS.checkedBy.serverSaid, TEXTS.headlines[server.headline].title]]} />
        {progress !== null && <progress aria-label={TEXTS.checking.title} value={progress.done} max={progress.total} />}
      </div>
    </div>
  );
}

/** One line per checker with its result. */
export function CheckedBy({ lines }: { readonly lines: readonly (readonly [string, string])[] }): VNode {
  return (
    <ul class="checked-by">
      {lines.map(([who, what]) => (
        <li key={who}>
          {who}
          <b>{what}</b>
        </li>
      ))}
    </ul>
  );
}

/** States that a page from a server has to be trusted, and how to verify without it. */
export function TrustNote(): VNode {
  const { trust, trustOffline, trustAfter, trustCli } = TEXTS.checkedBy;
  return (
    <p class="trust-note">
      {trust}
      <a href="/offline.html">{trustOffline}</a>
      {trustAfter}
      <a href="/how-it-works#command-line">{trustCli}</a>.
    </p>
  );
}
