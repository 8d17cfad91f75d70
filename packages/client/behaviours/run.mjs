// Compares the behaviour that a program sees with and without an observer, case by case, and prints one table for each
// SDK.
import Anthropic from '@anthropic-ai/sdk';
import { APIPromise as AnthropicPromise } from '@anthropic-ai/sdk/core/api-promise';
import { observeOpenAI } from '@langfuse/openai';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import * as braintrust from 'braintrust';
import { wrapAnthropic } from 'langsmith/wrappers/anthropic';
import { wrapOpenAI } from 'langsmith/wrappers';
import { wrapAISDK } from 'langsmith/experimental/vercel';
import OpenAI7 from 'openai';
import { APIPromise as Promise7 } from 'openai/core/api-promise';
import { zodResponseFormat as format7 } from 'openai/helpers/zod';
import OpenAI6 from 'openai-6';
import { APIPromise as Promise6 } from 'openai-6/core/api-promise';
import { zodResponseFormat as format6 } from 'openai-6/helpers/zod';
import { createOpenAICompatible as models6 } from 'openai-compatible-2';
import { createOpenAICompatible as models7 } from 'openai-compatible-3';
import { certificates } from '../dist/bundle/node.js';
import { aiCases, anthropicCases, openaiCases } from './cases.mjs';
import { startModelServer } from './model-server.mjs';

const CASE_MS = 5000;
/** Milliseconds in which rejections that nothing handles are reported. */
const SETTLE_MS = 50;

Object.assign(process.env, {
  LANGSMITH_TRACING: 'true',
  LANGSMITH_API_KEY: 'none',
  LANGSMITH_ENDPOINT: 'http://127.0.0.1:9',
});
let unhandled = 0;
process.on('unhandledRejection', () => (unhandled += 1));
// The observers report that their services cannot be reached.
console.error = console.warn = () => undefined;

const url = await startModelServer();
const cer = certificates({ appId: 'behaviours', nodeUrl: 'http://127.0.0.1:9', spoolDir: null });
const options = { apiKey: 'none', maxRetries: 0 };
const openai = (OpenAI) => () => new OpenAI({ ...options, baseURL: `${url}/v1` });
const openaiObservers = {
  'this client': (client) => cer.openai(client),
  langfuse: (client) => observeOpenAI(client),
  langsmith: (client) => wrapOpenAI(client),
  braintrust: (client) => braintrust.wrapOpenAI(client),
};
const local = { name: 'local', baseURL: `${url}/v1`, apiKey: 'none' };
const aiLine = (title, ai, models) => [
  title,
  () => ({ ai, model: models(local)('example-1') }),
  aiCases(),
  {
    'this client': () => ({ ai, model: models({ ...local, fetch: cer.fetch() })('example-1') }),
    langsmith: ({ model }) => ({ ai: { ...ai, ...wrapAISDK(ai) }, model }),
    braintrust: ({ model }) => ({ ai: braintrust.wrapAISDK(ai), model }),
  },
];

const LINES = [
  [
    'openai 6.49',
    openai(OpenAI6),
    openaiCases(OpenAI6, { APIPromise: Promise6, zodResponseFormat: format6 }),
    openaiObservers,
  ],
  [
    'openai 7.59',
    openai(OpenAI7),
    openaiCases(OpenAI7, { APIPromise: Promise7, zodResponseFormat: format7 }),
    openaiObservers,
  ],
  [
    'anthropic 1.14',
    () => new Anthropic({ ...options, baseURL: url }),
    anthropicCases(Anthropic, { APIPromise: AnthropicPromise }),
    {
      'this client': (client) => cer.anthropic(client),
      langsmith: (client) => wrapAnthropic(client),
      braintrust: (client) => braintrust.wrapAnthropic(client),
    },
  ],
  aiLine('AI SDK 6', ai6, models6),
  aiLine('AI SDK 7', ai7, models7),
];

/** The behaviour that a program sees: a value or the name of an error, as text. */
async function seen(work) {
  const before = unhandled;
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('no end')), CASE_MS)));
  try {
    const value = JSON.stringify(await Promise.race([work(), late]));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return unhandled > before ? 'an unhandled rejection' : value;
  } catch (error) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return `throws ${error?.name}`;
  } finally {
    clearTimeout(timer);
  }
}

for (const [title, plain, cases, observers] of LINES) {
  const expected = new Map();
  for (const [name, work] of Object.entries(cases)) expected.set(name, await seen(() => work(plain())));
  const broken = [...expected].filter(([, value]) => value.startsWith('throws'));
  if (broken.length > 0) throw new Error(`${title}: the SDK itself fails in ${broken.map(String).join('; ')}`);
  const names = Object.keys(observers);
  console.log(`\n| ${[title, ...names].join(' | ')} |\n| --- ${names.map(() => '| --- ').join('')}|`);
  const equal = names.map(() => 0);
  for (const [name, work] of Object.entries(cases)) {
    const row = [];
    for (const [at, observer] of names.entries()) {
      const found = await seen(async () => work(await observers[observer](plain())));
      const isSame = found === expected.get(name);
      equal[at] += isSame ? 1 : 0;
      row.push(isSame ? '=' : found.startsWith('throws') || found.startsWith('an ') ? found : 'another value');
    }
    console.log(`| ${[name, ...row].join(' | ')} |`);
  }
  console.log(`| equal | ${equal.map((count) => `${count} of ${expected.size}`).join(' | ')} |`);
}
const { seen: calls, sealed, unsealed } = cer.stats();
console.log(`\nThis client saw ${calls} calls and sealed ${sealed}; ${unsealed} unsealed.`);
process.exit(0);
