import { expect, test } from 'vitest';
import { type Format, render } from '../../../src/questions/render.ts';
import { settingsReport } from '../../../src/questions/settings/document.ts';
import type { ProgramFacts } from '../../../src/settings/settings-facts.ts';

function kubelet(instance: string, fields?: Readonly<Record<string, unknown>>): ProgramFacts {
  return {
    component: 'kubelet',
    instance,
    readFrom: `kubelet of node ${instance}`,
    version: 'v1.36.3',
    ...(fields && { configuration: { source: 'configz', fields, problems: [] } }),
  };
}

/** The lines between the name of the component and the table. */
async function head(
  programs: readonly ProgramFacts[],
  format: Format = 'table',
  width?: number,
): Promise<string[]> {
  const report = settingsReport({
    observedAt: '2026-01-01T00:00:00Z',
    serverVersion: 'v1.36.3',
    components: ['kubelet'],
    programs,
    leader: { kind: 'sole' },
    problems: [],
  });
  const text = await render(report, format, { colour: false, width, now: 0 });
  return text.split('\n\n', 1).join('').split('\n');
}

const silent = Array.from({ length: 12 }, (_, index) => kubelet(`silent-${index}`));
const names = silent.map(({ instance }) => instance);

test('kubelets that did not answer are named, and are not among those whose settings are shown', async () => {
  const answered = ['a', 'b', 'c', 'd'].map((name) => kubelet(name, {}));
  expect(await head([...answered, kubelet('e')])).toEqual([
    'kubelet',
    '  on: a, b, c and 1 more',
    '  not read: e',
  ]);
  expect(await head(answered)).toEqual(['kubelet', '  on: a, b, c and 1 more']);
});

test('ten of many Nodes that did not answer are named, and with -o wide all', async () => {
  const ten = names.slice(0, 10).join(', ');
  expect(await head(silent)).toEqual(['kubelet', `  not read: ${ten} and 2 more`]);
  expect(await head(silent, 'wide')).toEqual(['kubelet', `  not read: ${names.join(', ')}`]);
});

test('on a screen, kubelets that did not answer take two lines', async () => {
  expect(await head(silent.slice(0, 2), 'table', 80)).toHaveLength(3);
});
