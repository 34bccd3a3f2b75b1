// Imports the test files named on the command line: node:test then runs them all in this process,
// which saves a start-up per file.
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const paths = process.argv.slice(2);
let loaded;
const allLoaded = new Promise((resolve) => (loaded = resolve));
// With --test-force-exit the process ends as soon as all tests that are known have: without this one,
// those of the files that are still to come would not be run, without a word.
test(`${paths.length} files loaded`, () => allLoaded);
for (const path of paths) await import(pathToFileURL(path).href);
loaded();
