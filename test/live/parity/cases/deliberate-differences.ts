import type { ParityRow } from '../kubeconfig-of.ts';

interface Difference {
  readonly row: ParityRow;
  /** How kubectl fails; '' for not at all. */
  readonly theirs: string;
  readonly ours: string;
  /** The Authorization of each request of ours. */
  readonly asked?: readonly (string | undefined)[];
}

/** Where kubectl asks for a password, drops an input or refuses, and we do not follow. */
export const deliberateDifferences: Readonly<Record<string, Difference>> = {
  'without credentials we are anonymous and ask nothing': {
    row: { cluster: {} },
    theirs: 'asked for a user name',
    ours: '',
    asked: [undefined],
  },
  'an empty token file is named': {
    row: { user: { tokenFile: 'token' }, files: { '.kube/token': '' } },
    theirs: 'asked for a user name',
    ours: 'token-file-unusable',
  },
  'a user that is missing from the kubeconfig is named': {
    row: { cluster: {}, context: { user: 'gone' } },
    theirs: 'asked for a user name',
    ours: 'unknown-user',
  },
  'an --as-user-extra without a value is not dropped': {
    row: { user: { token: 't' }, options: { as: 'ann', 'as-user-extra': ['scopes'] } },
    theirs: '',
    ours: 'invalid-user-extra',
  },
};
