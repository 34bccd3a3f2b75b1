/** The switches above the picture: sorts of messages, members, clients. */
import { element } from './lines.js';
import { GROUPS } from './message-groups.js';
import type { View } from './view.js';

/** `changed` is called after each switch. */
export function fillFilters(bar: HTMLElement, view: View, changed: () => void): void {
  const { run } = view;
  const counts = new Map<string, number>();
  for (const { group } of run.messages.items) counts.set(group, (counts.get(group) ?? 0) + 1);
  for (const group of GROUPS) {
    const count = counts.get(group) ?? 0;
    if (count === 0) continue;
    bar.append(
      switchOf(`${group} ${count}`, `--message-${group}`, (isOn) => {
        toggle(view.hiddenGroups, group, !isOn);
        changed();
      }),
    );
  }
  run.picture.members.forEach((host, member) => {
    const made = switchOf(host, '--text', (isOn) => {
      toggle(view.hiddenMembers, member, !isOn);
      changed();
    });
    bar.append(made);
  });
  bar.append(
    switchOf('clients', '--outcome-ok', (isOn) => {
      view.areClientsHidden = !isOn;
      changed();
    }),
  );
}

function toggle<Value>(set: Set<Value>, value: Value, isIn: boolean): void {
  if (isIn) set.add(value);
  else set.delete(value);
}

function switchOf(text: string, colour: string, turned: (isOn: boolean) => void): HTMLElement {
  const label = element('label', 'switch', '');
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = true;
  box.addEventListener('change', () => turned(box.checked));
  label.style.setProperty('--mark', `var(${colour})`);
  label.append(box, element('span', '', text));
  return label;
}
