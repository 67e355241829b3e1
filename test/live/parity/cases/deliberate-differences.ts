import { home, kubeconfigOf, trusted } from '../kubeconfig-of.ts';
import type { ParityCase } from '../parity.ts';
import type { World } from '../parity-world.ts';

interface Difference {
  readonly caseOf: (world: World) => ParityCase;
  /** How kubectl fails; '' for not at all. */
  readonly theirs: string;
  readonly ours: string;
  /** The Authorization of each request of ours. */
  readonly asked?: readonly (string | undefined)[];
}

/** Where kubectl asks for a password, drops an input or refuses, and we do not follow. */
export const deliberateDifferences: Readonly<Record<string, Difference>> = {
  'without credentials we are anonymous and ask nothing': {
    caseOf: (world) => ({ files: home(world) }),
    theirs: 'asked for a user name',
    ours: '',
    asked: [undefined],
  },
  'an empty token file is named': {
    caseOf: (world) => ({
      files: { ...home(world, { tokenFile: 'token' }), '.kube/token': '' },
    }),
    theirs: 'asked for a user name',
    ours: 'token-file-unusable',
  },
  'a user that is missing from the kubeconfig is named': {
    caseOf: (world) => ({
      files: { '.kube/config': kubeconfigOf(trusted(world), undefined, { user: 'gone' }) },
    }),
    theirs: 'asked for a user name',
    ours: 'unknown-user',
  },
  'an --as-user-extra without a value is not dropped': {
    caseOf: (world) => ({
      files: home(world, { token: 't' }),
      options: { as: 'ann', 'as-user-extra': ['scopes'] },
    }),
    theirs: '',
    ours: 'invalid-user-extra',
  },
};
