// The order of the suites where jest knows no durations, as in a fresh checkout: those that start services, browsers or
// other programs come first. By size, jest's own order, the longest ones are among the smallest files and begin when every
// other suite has ended.
import Sequencer from '@jest/test-sequencer';

const LONG = [
  /\/e2e\/test\/(documentation|journey|start|torture|conformance|independent-logs)\.test/,
  /\/e2e\/test\/(backup|log|packages)\//,
  /\/e2e\/test\/(go-verifier|python-package)\.test/,
  /\/apps\/renderer\/test\//,
  /\/apps\/node\/test\/growth\//,
  /\/(killed-[a-z]+|racing-nodes|[a-z-]*in-chromium|full-disk|soak)\.test/,
];

export default class LongSuitesFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

function isLong({ path }) {
  return LONG.some((pattern) => pattern.test(path));
}
