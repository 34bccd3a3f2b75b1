// npm run check: types (the build has checked them), lint, format.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const steps = [
  ['types', ['node_modules/typescript/bin/tsc', '-b']],
  ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings']],
  ['format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']],
];
let failed = 0;
for (const [label, args] of steps) {
  const result = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (result.status !== 0) {
    console.error(`check: ${label} failed`);
    failed++;
  }
}
if (failed === 0) console.log(`check: ${steps.map(([label]) => label).join(', ')} are clean`);
process.exit(failed === 0 ? 0 : 1);
