import { KEYS_TEXTS } from './texts/keys.js';
import { LOG_TEXTS } from './texts/log.js';
import { PROJECT_TEXTS } from './texts/project.js';
import { RECORD_TEXTS } from './texts/record.js';
import { SITE_TEXTS } from './texts/site.js';
import { TIME_TEXTS } from './texts/time.js';
import { TOOLS_TEXTS } from './texts/tools.js';
import { VERDICT_TEXTS } from './texts/verdict.js';

/** Every sentence of site and offline file, in one folder: read as a whole, and translated as one. */
export const TEXTS = {
  ...SITE_TEXTS,
  ...VERDICT_TEXTS,
  ...RECORD_TEXTS,
  ...PROJECT_TEXTS,
  ...TOOLS_TEXTS,
  ...LOG_TEXTS,
  ...KEYS_TEXTS,
  ...TIME_TEXTS,
} as const;
