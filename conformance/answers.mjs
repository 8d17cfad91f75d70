// node conformance/answers.mjs IMPLEMENTATION: answers `verify` cases, one on each line of standard input, with an
// implementation of this repository; one line {"missing": reason} where it cannot run.
import { text } from 'node:stream/consumers';
import { answersOf } from './implementation.mjs';
import { IMPLEMENTATIONS } from './implementations.mjs';

const implementation = IMPLEMENTATIONS[process.argv[2]]();
const cases = (await text(process.stdin))
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
const { missing } = implementation;
const answers = missing === undefined ? await answersOf(implementation, 'verify', cases) : [{ missing }];
for (const answer of answers) console.log(JSON.stringify(answer));
