import type { Route, ServiceResponse } from '@cer/http-service';
import { checkKeyHistory, type KeyHistoryCheck } from '../check/key-history-check.js';
import { listKeys, type KeyList } from '../check/key-list.js';
import { KEY_HISTORY_PATH, KEY_SET_PATH } from '../check/key-set-path.js';
import type { NodeAnswer, NodeClient } from '../record/node-client.js';
import { KeysPage } from '../view/keys-page.js';
import { TEXTS } from '../view/texts.js';
import { entityTag, page, pageProtection, unlessUnchanged, type PageSettings } from './page-response.js';

interface KeysRouteDeps {
  readonly settings: PageSettings;
  readonly node: NodeClient;
  readonly now: () => Date;
}

/** The node's keys and their history. */
export function keysRoute({ settings, node, now }: KeysRouteDeps): Route {
  const handler = async (request: Parameters<Route['handler']>[0]): Promise<ServiceResponse> => {
    const [{ answer }, history] = await Promise.all([node.keySet(), node.keyHistory()]);
    const list = answer.kind === 'found' ? keyListOf(answer.text) : null;
    const look = await checkOf(history, now());
    const stated = look !== null && look !== 'none' && look.statement?.isOverdue === true ? 'overdue' : '';
    const tag = entityTag(settings.buildId, 'keys', versionOf(answer), versionOf(history), stated);
    const { publicNodeUrl } = settings;
    return unlessUnchanged(request, tag, 'Accept', pageProtection(settings), () =>
      page(settings, list === null ? 503 : 200, {
        title: `${TEXTS.keys.title} – ${TEXTS.site.name}`,
        description: TEXTS.keys.lead,
        path: '/keys',
        current: 'keys',
        children: (
          <KeysPage
            list={list}
            history={look}
            keySetUrl={`${publicNodeUrl}${KEY_SET_PATH}`}
            historyUrl={`${publicNodeUrl}${KEY_HISTORY_PATH}`}
          />
        ),
      }),
    );
  };
  return { method: 'GET', path: '/keys', handler };
}

function versionOf(answer: NodeAnswer): string {
  return answer.kind === 'found' ? answer.text : answer.kind;
}

function keyListOf(text: string): KeyList | null {
  try {
    return listKeys(text);
  } catch {
    return null;
  }
}

async function checkOf(answer: NodeAnswer, now: Date): Promise<KeyHistoryCheck | 'none' | null> {
  if (answer.kind === 'found') return checkKeyHistory(answer.text, now.toISOString());
  return answer.kind === 'not-found' ? 'none' : null;
}
