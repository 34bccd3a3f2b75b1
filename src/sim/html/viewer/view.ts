/** What a person has chosen to see. */
import type { Group } from './message-groups.js';
import { type Layout, layoutOf } from './layout.js';
import type { Message, Run, Shape } from './run.js';
import { TimeScale } from './time-scale.js';
import { ROUTINE_GROUPS } from './message-groups.js';

/** More messages in view for each pixel of height: routine ones are not drawn. */
const MAX_PER_PIXEL = 1.2;

export class View {
  readonly run: Run;
  readonly scale: TimeScale;
  readonly hiddenGroups = new Set<Group>();
  readonly hiddenMembers = new Set<number>();
  areClientsHidden = false;
  selected: Shape | undefined;
  hovered: Shape | undefined;
  /** Place of the violation that is looked at. */
  violation: number | undefined;
  layout: Layout;

  constructor(run: Run) {
    this.run = run;
    this.scale = new TimeScale(run.picture.endUs);
    this.layout = this.#layout(600);
  }

  resize(width: number, height: number): void {
    this.layout = this.#layout(width);
    this.scale.resize(height);
  }

  /** After a filter has changed. */
  relayout(): void {
    this.layout = this.#layout(this.layout.width);
  }

  /** Messages in view that the filters let through, and whether routine ones are too many to draw. */
  messages(): { readonly all: Message[]; readonly drawn: Message[]; readonly isThinned: boolean } {
    const { topUs, bottomUs } = this.scale;
    const all = this.run.messages.within(topUs, bottomUs).filter((one) => this.isShown(one));
    const isThinned = all.length > this.scale.height * MAX_PER_PIXEL;
    const drawn = isThinned ? all.filter(({ group }) => !ROUTINE_GROUPS.has(group)) : all;
    return { all, drawn, isThinned };
  }

  isShown(shape: Shape): boolean {
    const { hiddenMembers: hidden } = this;
    switch (shape.sort) {
      case 'message':
        return (
          !this.hiddenGroups.has(shape.group) && !hidden.has(shape.from) && !hidden.has(shape.to)
        );
      case 'operation':
        return !this.areClientsHidden && !hidden.has(shape.member);
      case 'arrival':
        return this.isShown(shape.watch);
      case 'commit':
      case 'note':
        return !hidden.has(shape.member);
    }
  }

  /** The middle of an operation's track. */
  trackX(track: number): number {
    const { clients, trackWidth } = this.layout;
    return clients.left + (track + 0.5) * trackWidth;
  }

  #layout(width: number): Layout {
    const { picture, firstTracks } = this.run;
    return layoutOf({
      width,
      shown: picture.members.map((_, member) => !this.hiddenMembers.has(member)),
      tracks: this.areClientsHidden ? 0 : firstTracks.at(-1)!,
    });
  }
}
