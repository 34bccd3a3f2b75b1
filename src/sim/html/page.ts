/** The page around a picture: one file that needs nothing else. */
import { STYLE } from './style.js';
import type { BrokenPromise, Picture } from './viewer/picture.js';
import { viewerScript } from './viewer-script.js';

/** A whole HTML document. */
export function pageOf(picture: Picture): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(picture.about.title)}</title>
<style>${STYLE}</style>
</head>
<body>
${header(picture)}
${BAR}
<main>
<div id="stage"><div id="heads"></div><canvas id="picture"></canvas><div id="tip" hidden></div></div>
<aside id="lines" aria-label="trace"></aside>
</main>
<div id="selected" hidden></div>
<script type="application/json" id="data">${jsonText(picture)}</script>
<script type="module">
${viewerScript()}
</script>
</body>
</html>
`;
}

/** Nothing may be fetched: not even by mistake. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

/** JSON that no HTML parser takes for markup. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function header({ about, violations }: Picture): string {
  return `<header>
<div><h1>${escaped(about.title)}</h1>${verdict(violations)}${facts(about.facts)}</div>
<div class="command"><code id="command">${escaped(about.command)}</code><button id="copy">copy</button></div>
${violationList(violations)}
<details><summary>${summaryOf(about.omitted)}</summary>${LEGEND}</details>
</header>`;
}

function verdict(violations: readonly BrokenPromise[]): string {
  if (violations.length === 0) return '<span class="verdict kept">every promise was kept</span>';
  const promises = violations.length === 1 ? '1 promise' : `${violations.length} promises`;
  return `<span class="verdict broken">${promises} broken</span>`;
}

function facts(list: Picture['about']['facts']): string {
  const items = list.map(
    ([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`,
  );
  return `<dl class="facts">${items.join('')}</dl>`;
}

function violationList(violations: readonly BrokenPromise[]): string {
  if (violations.length === 0) return '';
  const items = violations.map(
    ({ promise, explanation, fromUs }, place) =>
      `<li><button data-violation="${place}"><b>${escaped(promise)}</b>` +
      `<span>${escaped(explanation)}</span> <time>at ${(fromUs / 1e6).toFixed(3)} s</time></button></li>`,
  );
  return `<ol>${items.join('\n')}</ol>`;
}

function summaryOf(omitted: Picture['about']['omitted']): string {
  const total = omitted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return 'How to read it';
  const counts = omitted.map(([type, count]) => `${count} ${escaped(type)}`).join(', ');
  return `How to read it. Left out, to keep the page small, far from faults and changes of role: ${counts}`;
}

const BAR = `<nav>
<div><button id="zoom-in" aria-label="zoom in">+</button><button id="zoom-out" aria-label="zoom out">−</button>
<button id="whole">whole run</button></div>
<div><button id="previous" aria-label="previous">‹</button><select id="goal" aria-label="go to"></select>
<button id="next" aria-label="next">›</button></div>
<div id="filters"></div>
<div id="view"></div>
</nav>`;

const COLOURS: readonly (readonly [variable: string, meaning: string])[] = [
  ['follower', 'follower'],
  ['preCandidate', 'pre-candidate'],
  ['candidate', 'candidate'],
  ['leader', 'leader'],
  ['down-band', 'down'],
  ['fault-band', 'fault'],
  ['outcome-ok', 'operation ok'],
  ['outcome-refused', 'refused'],
  ['outcome-unknown', 'of unknown outcome'],
  ['outcome-watch', 'watch'],
];

const LEGEND = `<div class="legend">${COLOURS.map(
  ([variable, meaning]) => `<span><i style="--mark: var(--${variable})"></i>${meaning}</span>`,
).join('')}
<p>Time runs down. Each member is a lane whose bar has the colour of its role; hatched: paused. Arrows are messages,
dashed with a cross where they were lost or never received; ticks beside a lane are commits, dots are its log and
disk. In a partition, lanes of one tint reach each other. Bars at the right are clients' operations, from call to
outcome; hollow ones are watches, with a tick for each response.</p>
<p>Wheel or drag scrolls; Ctrl, Shift or a pinch zooms; the strip at the left is the whole run. Hover or tap for the
line of the trace. Keys: arrows, + and −, 0 for the whole run, n and p for next and previous.</p></div>`;
