/** Shapes in words: the line of the trace, and what became of it. */
import type { Fate, Picture } from './picture.js';
import type { Shape } from './run.js';

export interface Line {
  readonly atUs: number;
  readonly who: string;
  readonly text: string;
}

export function lineOf(shape: Shape, picture: Picture): Line {
  return { atUs: shape.fromUs, who: whoOf(shape, picture), text: textOf(shape, picture) };
}

/** Seconds with six places, as in a trace. */
export function seconds(us: number): string {
  return (us / 1e6).toFixed(6);
}

/** A length of time. */
export function duration(us: number): string {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(us < 10_000 ? 2 : 0)} ms` : `${(us / 1e6).toFixed(2)} s`;
}

function whoOf(shape: Shape, { members, clients }: Picture): string {
  switch (shape.sort) {
    case 'message':
      return members[shape.from]!;
    case 'operation':
      return clients[shape.client]!;
    case 'arrival':
      return clients[shape.watch.client]!;
    case 'commit':
      return members[shape.member]!;
    case 'note':
      return members[shape.member] ?? '';
  }
}

function textOf(shape: Shape, { members }: Picture): string {
  switch (shape.sort) {
    case 'message': {
      const { id, to, type, text, fate, fromUs, untilUs } = shape;
      const ending = fateText(fate, untilUs - fromUs);
      return `→ ${members[to]} ${type} ${text} (message ${id}, ${ending})`;
    }
    case 'operation': {
      const { id, member, outcome, text, fromUs, untilUs } = shape;
      const noun = outcome === 'watch' ? 'watch' : 'operation';
      return `→ ${members[member] ?? '?'} ${text} (${noun} ${id}, ${duration(untilUs - fromUs)})`;
    }
    case 'arrival':
      return `← watch ${shape.watch.id}: ${shape.text}`;
    case 'commit':
      return `commit ${shape.index}`;
    case 'note':
      return `${shape.kind} ${shape.text}`;
  }
}

function fateText(fate: Fate, tookUs: number): string {
  const after = tookUs === 0 ? 'at once' : `after ${duration(tookUs)}`;
  switch (fate) {
    case 'received':
      return `received ${after}`;
    case 'lost':
      return `lost ${after}`;
    case 'repeated':
      return `received once more ${after}`;
    case 'underWay':
      return 'never received';
  }
}
