/** What is in view as the fragment of the address, so that a place can be passed on: `#at=12.5&span=0.4`. */
import type { TimeScale } from './time-scale.js';

/** Goes where the address says; false when it says nothing. */
export function goToPlace(scale: TimeScale, fragment: string): boolean {
  const words = new URLSearchParams(fragment.replace(/^#/, ''));
  const atUs = Number(words.get('at') ?? NaN) * 1e6;
  const spanUs = Number(words.get('span') ?? NaN) * 1e6;
  if (!(atUs >= 0) || !(spanUs > 0)) return false;
  scale.show(atUs - spanUs / 2, atUs + spanUs / 2);
  return true;
}

export function placeOf({ topUs, spanUs }: TimeScale): string {
  const at = ((topUs + spanUs / 2) / 1e6).toFixed(6);
  return `#at=${at}&span=${(spanUs / 1e6).toFixed(6)}`;
}
