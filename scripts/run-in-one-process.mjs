// Imports the test files named on the command line: node:test then runs them all in this process,
// which saves a start-up per file.
import { pathToFileURL } from 'node:url';

for (const path of process.argv.slice(2)) await import(pathToFileURL(path).href);
