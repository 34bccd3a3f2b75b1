/** Who stands where, from left to right: overview, times, faults, members, clients. */

/** Pixels. */
export interface Strip {
  readonly left: number;
  readonly width: number;
}

export interface Layout {
  readonly width: number;
  readonly overview: Strip;
  readonly times: Strip;
  /** Names of faults; without width where they lie over the members. */
  readonly faults: Strip;
  readonly members: Strip;
  readonly clients: Strip;
  /** Middle of each member's lane, by place; undefined: hidden. */
  readonly laneX: readonly (number | undefined)[];
  readonly laneWidth: number;
  readonly trackWidth: number;
}

export interface LayoutRequest {
  readonly width: number;
  /** Whether each member is shown. */
  readonly shown: readonly boolean[];
  /** Tracks of all clients; 0: clients are hidden. */
  readonly tracks: number;
}

const NARROW = 560;
const WIDEST_LANE = 230;
const WIDEST_TRACK = 9;

export function layoutOf({ width, shown, tracks }: LayoutRequest): Layout {
  const isNarrow = width < NARROW;
  const overview = { left: 0, width: isNarrow ? 26 : 56 };
  const times = { left: overview.width, width: isNarrow ? 44 : 64 };
  const faults = {
    left: times.left + times.width,
    width: isNarrow ? 0 : Math.min(190, width * 0.19),
  };
  const room = Math.max(60, width - faults.left - faults.width - GAP);
  const clientsWidth = Math.min(tracks * WIDEST_TRACK, room * 0.33);
  const lanes = Math.max(1, shown.filter(Boolean).length);
  const laneWidth = Math.min(WIDEST_LANE, (room - clientsWidth) / lanes);
  const members = { left: faults.left + faults.width, width: laneWidth * lanes };
  const left = members.left + members.width + GAP;
  return {
    width,
    overview,
    times,
    faults,
    members,
    clients: { left, width: clientsWidth },
    laneX: laneMiddles(shown, members.left, laneWidth),
    laneWidth,
    trackWidth: tracks === 0 ? 0 : clientsWidth / tracks,
  };
}

/** Between the members and the clients. */
const GAP = 8;

function laneMiddles(
  shown: readonly boolean[],
  left: number,
  laneWidth: number,
): (number | undefined)[] {
  let next = left + laneWidth / 2;
  return shown.map((isShown) => {
    if (!isShown) return undefined;
    const x = next;
    next += laneWidth;
    return x;
  });
}
