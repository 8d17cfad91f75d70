// One run for the whole repository: every workspace with tests is one project.
import { existsSync, readdirSync } from 'node:fs';

const root = import.meta.dirname;

const workspaces = ['packages', 'apps']
  .filter((group) => existsSync(`${root}/${group}`))
  .flatMap((group) => readdirSync(`${root}/${group}`).map((name) => ({ group, name })))
  .filter(({ group, name }) => existsSync(`${root}/${group}/${name}/package.json`));

// Compiled by swc to CommonJS, so that jest needs no experimental module flag.
const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript', tsx: true }, target: 'es2022', transform: { react: { runtime: 'automatic', importSource: 'preact' } } },
    module: { type: 'commonjs' },
  },
];

/** Tests run against sources: `@cer/keys` is packages/keys/src/index.ts, `@cer/keys/testing` its testing/index.ts. */
const sources = Object.fromEntries(
  workspaces.flatMap(({ group, name }) => [
    [`^@cer/${name}$`, `<rootDir>/../../${group}/${name}/src/index.ts`],
    [`^@cer/${name}/testing$`, `<rootDir>/../../${group}/${name}/src/testing/index.ts`],
    [`^@cer/${name}/([a-z-]+)$`, `<rootDir>/../../${group}/${name}/src/$1.ts`],
  ]),
);

export default {
  // Jest heeds this one here only, not per project.
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/scripts/test/totals-reporter.mjs'],
  projects: workspaces.map(({ group, name }) => ({
    displayName: name,
    rootDir: `${root}/${group}/${name}`,
    testMatch: ['<rootDir>/src/**/*.test.{ts,tsx}', '<rootDir>/test/**/*.test.ts'],
    testEnvironment: 'node',
    // A global costs a slow lookup inside jest's sandbox: tweetnacl's Math.floor made it twelve times slower.
    sandboxInjectedGlobals: ['Math'],
    transform: { '\\.[cm]?[jt]sx?$': swc },
    // These registry packages are ESM only; everything else under node_modules is taken as it is.
    transformIgnorePatterns: ['/node_modules/(?!(@noble|jose|uuid)/)'],
    moduleNameMapper: {
      ...sources,
      '^#([a-z-]+)-platform$': '<rootDir>/../../packages/$1/src/platform/node.ts',
      '^(\\.{1,2}/.*)\\.js$': '$1',
    },
    ...(existsSync(`${root}/${group}/${name}/test/global-setup.mjs`) && {
      globalSetup: '<rootDir>/test/global-setup.mjs',
    }),
    ...(existsSync(`${root}/${group}/${name}/test/global-teardown.mjs`) && {
      globalTeardown: '<rootDir>/test/global-teardown.mjs',
    }),
  })),
};
