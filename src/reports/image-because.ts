import { formatGoDuration } from '../kubelet/go-duration.ts';
import type { ImageReason } from '../kubelet/image-outlook.ts';
import type { ImageGcPolicy } from '../kubelet/image-record.ts';
import type { KnownImageUser } from '../kubelet/image-users.ts';

const shownUsers = 2;

/** Why an image goes or stays, and the rule that says so. */
export function imageBecause(
  reason: ImageReason,
  policy: ImageGcPolicy,
  users: readonly KnownImageUser[],
): { readonly because: string; readonly rule: string } {
  switch (reason) {
    case 'in-use':
      return { because: usersInWords(users), rule: 'IMG-5' };
    case 'pinned':
      return { because: 'the runtime pins it', rule: 'IMG-6' };
    case 'too-young':
      return {
        because: `the kubelet found it less than ${formatGoDuration(policy.minAge)} ago`,
        rule: 'IMG-12',
      };
    case 'age':
      return { because: `unused for more than ${formatGoDuration(policy.maxAge)}`, rule: 'IMG-9' };
    case 'maybe-age':
      return {
        because: `unused; it goes once that was so for more than ${formatGoDuration(policy.maxAge)}`,
        rule: 'IMG-9',
      };
    case 'space':
      return { because: 'unused, and the disk is above the high threshold', rule: 'IMG-12' };
    case 'enough-freed':
      return { because: 'unused, but those before it free enough', rule: 'IMG-12' };
    case 'not-triggered':
      return { because: 'unused; the disk is below the high threshold', rule: 'IMG-10' };
    case 'off':
      return { because: 'unused; image passes are turned off', rule: 'IMG-2' };
    case 'no-capacity':
      return { because: 'unused; passes fail, as the disk has a capacity of 0', rule: 'IMG-10' };
    case 'disk-unknown':
      return { because: 'unused; nobody could read how full the disk is', rule: 'IMG-10' };
  }
}

function usersInWords(users: readonly KnownImageUser[]): string {
  const alive = users.filter(({ state }) => state === 'running' || state === 'mounted');
  const shown = [...alive, ...users.filter((user) => !alive.includes(user))].slice(0, shownUsers);
  const more = users.length - shown.length;
  const named = shown.map(userInWords).join(', ');
  return `in use by ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

function userInWords({ pod, container, state }: KnownImageUser): string {
  const where = pod === '' ? '' : ` of ${pod}`;
  if (state === 'mounted') return `a volume${where}`;
  return `${state === 'running' ? '' : `the ${stateInWords(state)} `}container ${container}${where}`;
}

function stateInWords(state: Exclude<KnownImageUser['state'], 'running' | 'mounted'>): string {
  return state === 'exited' ? 'dead' : state === 'created' ? 'created' : 'lost';
}
