import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/*.generated.*', '**/assembly/**', '.data/**'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, prettier],
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: [] }, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/require-await': 'off',
      'no-console': 'error',
    },
  },
  {
    // Tests are not part of a workspace's build; a separate project types them all.
    files: ['**/*.test.{ts,tsx}', '*/*/test/**/*.ts', 'packages/test-browser/**/*.ts', 'e2e/test/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: ['./tsconfig.tests.json'] } },
  },
  {
    // The command line talks to people on stdout and stderr.
    files: ['apps/cli/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
