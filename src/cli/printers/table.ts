/** The format `table`: boxes of plain ASCII, as etcdctl up to 3.6 draws them. */
import { latin1FromUtf8, utf8FromLatin1 } from '../../bytes/index.js';
import { reportText } from '../conformance/report.js';
import type { Result } from '../output.js';
import {
  hashKvRows,
  healthRows,
  memberRows,
  snapshotHashRows,
  snapshotStatusRows,
  statusRows,
  type Rows,
} from './rows.js';
import { unsupported } from './unsupported.js';

export function printTable(result: Result): string {
  switch (result.kind) {
    case 'memberList':
      return drawTable(memberRows(result.response.members));
    case 'endpointStatus':
      return drawTable(statusRows(result.list));
    case 'endpointHealth':
      return drawTable(healthRows(result.list));
    case 'endpointHashKv':
      return drawTable(hashKvRows(result.list));
    case 'snapshotStatus':
      return drawTable(snapshotStatusRows(result.status));
    case 'snapshotHash':
      return drawTable(snapshotHashRows(result.hash));
    case 'conformance':
      return latin1FromUtf8(reportText(result.report));
    default:
      throw unsupported('table');
  }
}

/** Cells wider than this are broken at their blanks. */
const COLUMN_WIDTH = 30;

interface Column {
  width: number;
}

/**
 * Header upper-cased (`_` shown as a blank) and centred, cells to the right. A cell too wide takes
 * several lines of its row, and its column is {@link COLUMN_WIDTH} wide or as wide as its longest word.
 */
export function drawTable({ header, rows }: Rows): string {
  const titles = header.map((title) => title.toUpperCase().replaceAll('_', ' '));
  const columns = titles.map((title): Column => ({ width: displayWidth(title) }));
  const wrapped = rows.map((row) => row.map((cell, i) => wrapCell(cell, columns[i]!)));
  const rule = `+${columns.map(({ width }) => '-'.repeat(width + 2)).join('+')}+\n`;
  const head = drawLine(titles.map((title, i) => centre(title, columns[i]!.width)));
  const body = wrapped.map((row) => drawRow(row, columns)).join('');
  return rule + head + rule + body + rule;
}

/** The lines of a cell; widens its column to hold them. */
function wrapCell(cell: string, column: Column): string[] {
  const width = displayWidth(cell);
  const limit = Math.min(width, COLUMN_WIDTH);
  const lines = width > COLUMN_WIDTH ? wrapWords(cell.split(' '), COLUMN_WIDTH) : [cell];
  column.width = Math.max(column.width, limit, ...lines.map(displayWidth));
  return lines;
}

function drawRow(cells: readonly string[][], columns: readonly Column[]): string {
  const height = Math.max(...cells.map((lines) => lines.length));
  let drawn = '';
  for (let i = 0; i < height; i++) {
    drawn += drawLine(cells.map((lines, j) => padLeft(lines[i] ?? '', columns[j]!.width)));
  }
  return drawn;
}

function drawLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/**
 * Breaks words into lines so that the squares of the room left over sum to the least; the last line
 * is free. A word wider than `limit` widens it.
 */
export function wrapWords(words: readonly string[], limit: number): string[] {
  const widths = words.map(displayWidth);
  const room = Math.max(limit, ...widths);
  const cost: number[] = Array.from({ length: words.length + 1 }, () => Infinity);
  const next: number[] = [];
  for (let i = words.length - 1; i >= 0; i--) {
    let width = -1;
    for (let j = i + 1; j <= words.length; j++) {
      width += widths[j - 1]! + 1;
      if (width > room) break;
      const total = j === words.length ? 0 : (room - width) ** 2 + cost[j]!;
      if (total < cost[i]! || j === words.length) {
        cost[i] = total;
        next[i] = j;
      }
    }
  }
  const lines: string[] = [];
  for (let i = 0; i < words.length; i = next[i]!) lines.push(words.slice(i, next[i]).join(' '));
  return lines;
}

function centre(text: string, width: number): string {
  const gap = width - displayWidth(text);
  const left = Math.floor(gap / 2);
  return ' '.repeat(left) + text + ' '.repeat(gap - left);
}

function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

/** Columns on a terminal: two for East Asian wide characters and emoji, none for combining marks. */
function displayWidth(cell: string): number {
  let width = 0;
  for (const character of utf8FromLatin1(cell)) {
    if (WIDE.test(character)) width += 2;
    else if (!/\p{Mn}/u.test(character)) width += 1;
  }
  return width;
}
