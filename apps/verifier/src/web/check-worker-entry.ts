import { withoutSilence } from '../check/silence.js';
import type { TimestampCode } from '../check/timestamp-code.js';
import { answerQuestions } from './check-worker.js';

/** The build puts the file's name here: it is fetched at the first token, for most visits need none of it. */
declare const TIMESTAMP_CODE_FILE: string;

answerQuestions(() => withoutSilence(import(/* @vite-ignore */ TIMESTAMP_CODE_FILE) as Promise<TimestampCode>));
