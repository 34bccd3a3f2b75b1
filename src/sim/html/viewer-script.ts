/** The page's program: the compiled modules of viewer/ as one script without imports. */
import { readFileSync } from 'node:fs';

/** Reads them from beside this module. */
export function viewerScript(): string {
  const texts = new Map<string, string>();
  collect('./main.js', texts);
  const modules = [...texts].map(([name, text]) => moduleText(name, text));
  return ['const modules = {};', ...modules].join('\n');
}

/** Adds a module after all that it imports. */
function collect(name: string, texts: Map<string, string>): void {
  if (texts.has(name)) return;
  const text = readFileSync(new URL(`viewer/${name}`, import.meta.url), 'utf8');
  for (const [, imported] of text.matchAll(IMPORT)) collect(imported!, texts);
  texts.set(name, text);
}

const IMPORT = /^import .* from '(\.\/[\w-]+\.js)';$/gm;
const EXPORT = /^export (?=(?:class|const|function) (\w+))/gm;

/** Its names stay its own: what it exports is an entry of `modules`. */
function moduleText(name: string, text: string): string {
  const exported = [...text.matchAll(EXPORT)].map(([, what]) => what);
  const body = text
    .replace(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = modules['$2'];")
    .replace(EXPORT, '');
  return `modules['${name}'] = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();`;
}
