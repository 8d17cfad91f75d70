import { buffer } from 'node:stream/consumers';
import { deserialize, serialize } from 'node:v8';
import { checkArtefact } from '../check/check-artefact.js';
import { decodeAnswer } from './decode-answer.js';
import type { LargeRequest } from './large-check.js';

// The program of the process that checks one large record: the request on its input, the result on its output.

const { source, ...request } = deserialize(await buffer(process.stdin)) as LargeRequest;
const check = await checkArtefact({ ...request, source: decodeAnswer(source) }, () => import('@cer/timestamps'));
process.stdout.write(serialize(check));
