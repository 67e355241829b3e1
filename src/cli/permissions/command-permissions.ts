import { usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';

/** What RBAC calls verbs, as far as a command needs them. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'impersonate';

/** Something that a command asks of the API server. */
export interface Need {
  readonly verbs: readonly Verb[];
  /**
   * Resources such as `leases.coordination.k8s.io`. `everything`: each kind that there is, in metadata and
   * for some kinds spec and status. `named`: the kinds that the command is about.
   */
  readonly on: readonly string[] | 'everything' | 'named';
  /** Only the objects of these names. */
  readonly names?: readonly string[];
  /** Why it is asked. */
  readonly why: string;
}

/** More that a command needs for one of its flags. */
export interface OptionalNeeds {
  /** The flags that need it. */
  readonly flags: string;
  readonly needs: readonly Need[];
}

export interface CommandPermissions {
  readonly needs: readonly Need[];
  /** It is about the whole cluster: roles in one namespace are not enough. */
  readonly isWhole?: true;
  readonly with?: Readonly<Record<string, OptionalNeeds>>;
}

const listEverything: Need = { verbs: ['list'], on: 'everything', why: 'who owns what' };
const getNamed: Need = { verbs: ['get'], on: 'named', why: 'the objects and their owners' };
/** How the controllers are configured; without it, the defaults of Kubernetes count. */
const leader: Need = {
  verbs: ['get'],
  on: ['leases.coordination.k8s.io'],
  names: ['kube-controller-manager'],
  why: 'which kube-controller-manager leads',
};
const kubeletSettings: Need = {
  verbs: ['get'],
  on: ['nodes/proxy'],
  why: 'the settings and the state of kubelets',
};
const judgeEverything: readonly Need[] = [listEverything, leader];
const kubelets: OptionalNeeds = { flags: 'kubelets are asked', needs: [kubeletSettings] };

/** Reports that `report` makes say what it found. */
function reports(api: string, ...resources: readonly string[]): OptionalNeeds {
  const verbs: Verb[] = ['list', 'create', 'update', 'delete'];
  const on = resources.map((resource) => `${resource}.${api}`);
  return { flags: `--policy-reports ${api}`, needs: [{ verbs, on, why: 'its own reports' }] };
}

/**
 * What each command asks of the API server, besides discovery, which every user may ask: the one place that
 * says so. Roles are made from it, access is reviewed by it before `report` writes, and docs/permissions.md
 * shows it. Commands that are not here ask nothing.
 */
export const permissions: Readonly<Record<string, CommandPermissions>> = {
  owners: { needs: [getNamed] },
  tree: { needs: [listEverything] },
  orphans: { needs: [listEverything] },
  'invalid-ownerrefs': {
    needs: [listEverything, { ...getNamed, why: 'who wrote a reference' }],
    with: {
      fix: {
        flags: '--fix',
        needs: [{ verbs: ['patch'], on: 'named', why: 'their references' }],
      },
    },
  },
  audit: { needs: judgeEverything, with: { kubelets } },
  report: {
    isWhole: true,
    needs: judgeEverything,
    with: {
      kubelets,
      'wgpolicyk8s.io': reports('wgpolicyk8s.io', 'policyreports', 'clusterpolicyreports'),
      'openreports.io': reports('openreports.io', 'reports', 'clusterreports'),
      events: {
        flags: '--events',
        needs: [{ verbs: ['list', 'create', 'patch'], on: ['events'], why: 'its own Events' }],
      },
    },
  },
  why: {
    needs: [
      { ...getNamed, why: 'the object, and what it waits for' },
      { ...listEverything, why: 'dependents, pods, webhooks, roles' },
    ],
    with: {
      fix: {
        flags: '--fix',
        needs: [
          { verbs: ['patch', 'update', 'delete'], on: 'named', why: 'the step that it shows' },
        ],
      },
    },
  },
  delete: {
    needs: [
      { verbs: ['delete'], on: 'named', why: 'what is named' },
      { verbs: ['get'], on: 'named', why: 'the backup' },
      { ...listEverything, why: 'what follows' },
      { verbs: ['watch'], on: 'everything', why: 'until all of it is gone' },
      leader,
    ],
    with: {
      orphan: {
        flags: '--cascade=orphan, --order',
        needs: [{ verbs: ['patch'], on: 'named', why: 'references that are removed' }],
      },
    },
  },
  restore: {
    needs: [
      { verbs: ['get', 'create'], on: 'named', why: 'what comes back, and its owners' },
      { verbs: ['patch'], on: 'named', why: 'references to new uids' },
    ],
  },
  forecast: {
    isWhole: true,
    needs: judgeEverything,
    with: {
      kubelets,
      apply: {
        flags: '--apply',
        needs: [{ verbs: ['get', 'watch', 'patch', 'delete'], on: 'named', why: 'what is due' }],
      },
    },
  },
  'podgc-preview': {
    isWhole: true,
    needs: [
      {
        verbs: ['list'],
        on: ['pods', 'nodes', 'leases.coordination.k8s.io'],
        why: 'what it decides by',
      },
      leader,
    ],
    with: {
      apply: {
        flags: '--apply',
        needs: [
          { verbs: ['get', 'watch', 'delete'], on: ['pods'], why: 'what is due' },
          { verbs: ['patch'], on: ['pods/status'], why: 'the phase of what is lost' },
          { ...listEverything, why: 'what follows' },
        ],
      },
    },
  },
  simulate: { isWhole: true, needs: judgeEverything },
  'snapshot save': { needs: [listEverything] },
  settings: {
    isWhole: true,
    needs: [
      { verbs: ['list'], on: ['pods', 'nodes'], why: 'the control plane' },
      leader,
      kubeletSettings,
    ],
  },
  images: {
    isWhole: true,
    needs: [{ verbs: ['get', 'list'], on: ['nodes', 'pods'], why: 'nodes' }, kubeletSettings],
  },
  containers: {
    isWhole: true,
    needs: [{ verbs: ['get', 'list'], on: ['nodes', 'pods'], why: 'nodes' }, kubeletSettings],
  },
};

/** The command that arguments begin with, and the kinds that follow; `snapshot save` has two words. */
export function commandOf(args: readonly string[]): {
  readonly command: string | undefined;
  readonly kinds: readonly string[];
} {
  const [first, ...rest] = args;
  const both = args.slice(0, 2).join(' ');
  if (Object.hasOwn(permissions, both)) return { command: both, kinds: args.slice(2) };
  return { command: first, kinds: rest };
}

/** All that a command needs with these of its options. */
export function needsOf(command: string, options: readonly string[] = []): readonly Need[] {
  const known = Object.keys(permissions);
  const asked = permissions[command];
  if (!asked) {
    throw usageError(
      'no-permissions',
      `"${command}" is not a command that asks a cluster`,
      ...didYouMean(command, known),
      `Commands that ask a cluster are: ${known.join(', ')}.`,
    );
  }
  const more = options.map((option) => {
    const found = asked.with?.[option];
    if (found) return found.needs;
    const possible = Object.keys(asked.with ?? {});
    throw usageError(
      'no-such-option',
      `--with "${option}" means nothing to ${command}`,
      possible.length === 0
        ? `${command} needs no more for any of its flags.`
        : `It may be: ${possible.join(', ')}.`,
    );
  });
  return [...asked.needs, ...more.flat()];
}

/** `leases.coordination.k8s.io` as RBAC and access reviews have it. */
export function splitResource(text: string): { readonly group: string; readonly resource: string } {
  const dot = text.indexOf('.');
  return dot < 0
    ? { group: '', resource: text }
    : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}
