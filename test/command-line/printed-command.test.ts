import { expect, test } from 'vitest';
import {
  nowhere,
  printedCommand,
  shellCommand,
  suggested,
  suggestionText,
} from '../../src/command-line/shell-command.ts';
import { GcError } from '../../src/errors.ts';

const place = {
  connection: ['--kubeconfig=/tmp/my clusters', '--context=live'],
  files: ['--from=dump.yaml', '--complete'],
};
const flags = `'--kubeconfig=/tmp/my clusters' --context=live`;
const files = '--from=dump.yaml --complete';

test.each([
  ['of kubectl', shellCommand`kubectl patch pod/a`, `kubectl patch pod/a ${flags}`],
  [
    'of ours, which reads files',
    shellCommand`kubectl gc why pod/a -n shop`,
    `kubectl gc why pod/a -n shop ${flags} ${files}`,
  ],
  [
    'that reads other files',
    shellCommand`kubectl gc audit --against-cluster --from web.yaml`,
    `kubectl gc audit --against-cluster --from web.yaml ${flags}`,
  ],
  [
    'with --from=FILE',
    shellCommand`kubectl gc orphans --from=web.yaml`,
    `kubectl gc orphans --from=web.yaml ${flags}`,
  ],
  [
    'whose --from means a backup',
    shellCommand`kubectl gc restore /tmp/backup`,
    `kubectl gc restore /tmp/backup ${flags}`,
  ],
  [
    'with a flag-like operand',
    shellCommand`kubectl taint nodes ${['--', '-n1', '--context=other']}`,
    `kubectl taint nodes ${flags} -- -n1 --context=other`,
  ],
])('prints a command %s with its flags', (_, command, printed) => {
  expect([printedCommand(command, place), printedCommand(command, nowhere)]).toEqual([
    printed,
    printed.replace(` ${flags}`, '').replace(` ${files}`, ''),
  ]);
});

test('an error suggests a command without flags to programs, and with those of the call to a person', () => {
  const error = new GcError('it is not permitted', {
    code: 'forbidden',
    suggestions: ['Ask an administrator.', suggested('Or look', shellCommand`kubectl get pods`)],
  });
  expect([error.suggestions, error.advice.map((one) => suggestionText(one, place))]).toEqual([
    ['Ask an administrator.', 'Or look: kubectl get pods'],
    ['Ask an administrator.', `Or look: kubectl get pods ${flags}`],
  ]);
});
