import { describe, expect, test } from 'vitest';
import { permissions } from '../../src/shell/command-permissions.ts';
import { gcHere } from '../support/run-here.ts';

/** What is printed stands in test/fixtures/transcripts/roles.txt. */
const writes = ['create', 'update', 'patch', 'delete', 'impersonate'];
/** Commands that change something even without a further flag. */
const changing = ['delete', 'restore'];

describe.each(Object.entries(permissions))('%s', (command, { needs, with: more = {} }) => {
  test('may change something only if that is what it is for', () => {
    const verbs = needs.flatMap((need) => need.verbs).filter((verb) => writes.includes(verb));
    expect(verbs.length > 0).toBe(changing.includes(command));
  });

  test('has no wildcard that is one for subresources, too', () => {
    const all = [...needs, ...Object.values(more).flatMap((one) => one.needs)];
    const wide = all.filter(({ on }) => on === 'everything').flatMap(({ verbs }) => verbs);
    // Subresources, nodes/proxy among them, can be got and changed; they cannot be listed or watched.
    expect(wide.filter((verb) => verb !== 'list' && verb !== 'watch')).toEqual([]);
  });
});

test.each(changing)(
  'the roles of %s in one namespace change nothing outside of it',
  async (command) => {
    const { stdout } = await gcHere(`rbac ${command} -n shop -o json`);
    const { items } = JSON.parse(stdout) as {
      items: { kind: string; rules: { verbs: string[] }[] }[];
    };
    const outside = items.filter(({ kind }) => kind === 'ClusterRole');
    const verbs = outside.flatMap(({ rules }) => rules.flatMap((rule) => rule.verbs));
    expect(verbs.filter((verb) => writes.includes(verb))).toEqual([]);
  },
);
