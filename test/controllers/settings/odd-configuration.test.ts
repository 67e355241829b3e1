import { expect, test } from 'vitest';
import { readSetting } from '../../../src/controllers/settings/read-setting.ts';
import { settingsTable } from '../../../src/controllers/settings/settings-table.ts';

test('a threshold of a KubeletConfiguration that is no text is left out', () => {
  const definition = settingsTable.kubelet.find(({ name }) => name === 'evictionHard');
  if (!definition) throw new Error('the table has no evictionHard');
  const fields = {
    evictionHard: { 'memory.available': { toString: 1 }, 'imagefs.available': '15%' },
  };
  const reading = readSetting(definition, {
    component: 'kubelet',
    instance: 'worker-1',
    readFrom: 'kubelet.yaml',
    version: 'v1.36.3',
    configuration: { source: 'file', fields, problems: [] },
  });
  expect(reading?.value).toEqual({ 'imagefs.available': '15%' });
});
