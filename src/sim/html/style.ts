/** The page's style. The picture takes its colours from the variables, see viewer/palette.ts. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f3f4f6; --text: #1b1f24; --dim: #5c6570; --faint: #a9b0b9; --line: #e6e8eb;
  --follower: #9db2cc; --preCandidate: #d9b400; --candidate: #ec7d10; --leader: #2b9348;
  --starting: #d5dbe3; --down: #b3261e; --down-band: #b3261e1c; --commit: #1d6b35;
  --message-append: #2f6fde; --message-heartbeat: #98a2b0; --message-vote: #a531c4;
  --message-snapshot: #00877d; --message-readIndex: #97692b; --message-propose: #4d53c8;
  --message-other: #d02670;
  --outcome-ok: #2b9348; --outcome-refused: #c98a00; --outcome-unknown: #d0317a; --outcome-watch: #6b7a90;
  --fault: #a4490a; --fault-band: #f08a2418; --fault-lane: #f08a2438;
  --group-0: #3f7bd618; --group-1: #e8a01020; --group-2: #7a4fc41c;
  --violation: #d1001f; --violation-band: #d1001f14; --pointed: #000000;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --panel: #1d2126; --text: #e7eaee; --dim: #9aa4b0; --faint: #5f6873; --line: #272c33;
    --follower: #566d8c; --preCandidate: #d9b400; --candidate: #f08b2c; --leader: #3fb765;
    --starting: #333c47; --down: #f2766d; --down-band: #f2766d26; --commit: #7fd69b;
    --message-append: #6ea3ff; --message-heartbeat: #66707d; --message-vote: #d57bef;
    --message-snapshot: #2fc5b9; --message-readIndex: #cf9d58; --message-propose: #9a9ff5;
    --message-other: #ff6ba8;
    --outcome-ok: #3fb765; --outcome-refused: #e0ab2e; --outcome-unknown: #ff6ba8; --outcome-watch: #8b9bb3;
    --fault: #f5a25d; --fault-band: #f08a241f; --fault-lane: #f08a2438;
    --group-0: #5b94f026; --group-1: #e8a01026; --group-2: #a07bf026;
    --violation: #ff5468; --violation-band: #ff54681c; --pointed: #ffffff;
  }
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body {
  display: flex; flex-direction: column; height: 100dvh; overflow: hidden;
  background: var(--ground); color: var(--text); font: 14px/1.4 system-ui, sans-serif;
}
header { padding: 8px 12px 4px; max-height: 38%; overflow: auto; border-bottom: 1px solid var(--line); }
header > div { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 12px; }
h1 { font-size: 17px; margin: 0; }
.verdict { font-weight: 600; }
.kept { color: var(--leader); }
.broken { color: var(--violation); }
dl { display: flex; flex-wrap: wrap; gap: 0 14px; margin: 0; color: var(--dim); }
dl div { display: flex; gap: 5px; }
dd { margin: 0; color: var(--text); }
code { font: 12px ui-monospace, monospace; overflow-wrap: anywhere; }
.command { color: var(--dim); }
ol { list-style: none; margin: 4px 0; padding: 0; max-height: 118px; overflow: auto; }
ol button { text-align: left; width: 100%; margin-bottom: 3px; border-left: 4px solid var(--violation); }
ol b { color: var(--violation); margin-right: 6px; }
ol span { overflow-wrap: anywhere; }
summary { color: var(--dim); cursor: pointer; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; margin: 4px 0; }
.legend i { display: inline-block; width: 12px; height: 12px; margin-right: 4px; vertical-align: -2px; background: var(--mark); }
.legend p { flex-basis: 100%; margin: 2px 0; color: var(--dim); }
button, select {
  font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 5px;
  padding: 3px 8px; min-height: 30px; cursor: pointer;
}
nav { display: flex; flex-wrap: wrap; gap: 4px; padding: 5px 12px; align-items: center; border-bottom: 1px solid var(--line); }
nav > div { display: flex; gap: 4px; align-items: center; }
#filters { flex-wrap: wrap; font-size: 12px; gap: 2px 10px; }
.switch { display: inline-flex; align-items: center; gap: 4px; min-height: 26px; cursor: pointer; white-space: nowrap; }
.switch input { accent-color: var(--mark); margin: 0; }
#view { color: var(--dim); font-size: 12px; }
main { flex: 1; display: flex; min-height: 0; }
#stage { position: relative; flex: 1; min-width: 0; display: flex; flex-direction: column; overflow: hidden; }
#heads { position: relative; height: 22px; flex: none; border-bottom: 1px solid var(--line); font-weight: 600; font-size: 13px; }
#heads span { position: absolute; transform: translateX(-50%); top: 2px; }
#picture { display: block; width: 100%; touch-action: none; cursor: crosshair; }
#tip {
  position: absolute; z-index: 2; max-width: min(440px, 90%); padding: 5px 8px; pointer-events: none;
  background: var(--panel); border: 1px solid var(--faint); border-radius: 5px; box-shadow: 0 2px 8px #0004;
}
#stage > #tip { margin-top: 22px; }
#tip, #selected, .row { font: 12px/1.35 ui-monospace, monospace; overflow-wrap: anywhere; }
time { color: var(--dim); margin-right: 8px; }
#tip b, #selected b, .row b { margin-right: 8px; }
#lines { width: 400px; flex: none; overflow: auto; border-left: 1px solid var(--line); }
.row { padding: 1px 8px; border-left: 3px solid var(--mark, transparent); cursor: pointer; }
.row:hover, .row.selected { background: var(--panel); }
.row.selected { font-weight: 600; }
.more { padding: 4px 8px; color: var(--dim); }
#selected { padding: 6px 12px; border-top: 1px solid var(--line); background: var(--panel); max-height: 30%; overflow: auto; }
[hidden] { display: none !important; }
@media (max-width: 1000px) { #lines { display: none; } }
@media (max-width: 560px) {
  header, nav { padding-left: 8px; padding-right: 8px; }
  header { max-height: 30%; }
  .facts { display: none; }
  #filters { flex-wrap: nowrap; overflow-x: auto; max-width: 100%; }
  #view { font-size: 11px; }
}
`;
