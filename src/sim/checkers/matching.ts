/**
 * Gives each of `wants` one of its candidates, no candidate twice (augmenting paths). The result is the
 * candidate of each want, undefined for those that must go without.
 */
export function matchEach<Candidate>(
  wants: readonly (readonly Candidate[])[],
): (Candidate | undefined)[] {
  const holders = new Map<Candidate, number>();
  const place = (want: number, tried: Set<Candidate>): boolean => {
    for (const candidate of wants[want]!) {
      if (tried.has(candidate)) continue;
      tried.add(candidate);
      const holder = holders.get(candidate);
      if (holder !== undefined && !place(holder, tried)) continue;
      holders.set(candidate, want);
      return true;
    }
    return false;
  };
  wants.forEach((_, want) => place(want, new Set()));
  const chosen: (Candidate | undefined)[] = wants.map(() => undefined);
  for (const [candidate, want] of holders) chosen[want] = candidate;
  return chosen;
}
