import * as Args from '@oclif/core/args';
import { ownLabels } from '../../cluster/write/write-request.ts';
import { parseTargets } from '../../command-line/type-argument.ts';
import { usageError } from '../../errors.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import { isPathSegment } from '../../kube/names.ts';
import { groupResourceOf, isDeletable, type ResourceType } from '../../kube/resource-type.ts';
import { isBuiltInGroup, ResourceTypes } from '../../kube/resource-types.ts';
import { printedText } from '../../output/printable.ts';
import { renderItems } from '../../output/tables/table.ts';
import { formatOf } from '../../questions/render.ts';
import {
  commandOf,
  type Need,
  needsOf,
  permissions,
  splitResource,
} from '../../shell/command-permissions.ts';
import { repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import { type CommonFlags, outputFlag } from '../../shell/flags/flags.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { printManifests } from '../../shell/terminal/manifests.ts';
import { documentLook, writeOut } from '../../shell/terminal/streams.ts';

export default class Rbac extends GcCommand {
  static override summary = 'Generate the RBAC that a command needs';
  static override description = [
    'Nothing is asked of a cluster. The roles permit what the command needs and nothing else; only the',
    'commands that change something get a verb that does. TYPEs are the kinds that the command is about;',
    'without them the roles name every kind that Kubernetes brings. Without COMMAND: what all of them need.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [COMMAND [TYPE...]] [--with OPTION]... [-n NAMESPACE] [--service-account NAMESPACE/NAME]';
  static override examples = [
    '<%= config.bin %> rbac audit',
    '<%= config.bin %> rbac report --with wgpolicyk8s.io --service-account monitoring/gc',
    '<%= config.bin %> rbac delete deployments -n shop',
  ];
  static override strict = false;
  static override args = {
    command: Args.string({
      description: 'the command that is to be permitted',
      options: [...new Set(Object.keys(permissions).map((name) => name.split(' ')[0] ?? ''))],
    }),
  };
  static override flags = {
    with: repeatedFlag(
      'OPTION',
      'permissions for this option of it, too; -o table lists the options',
    ),
    'service-account': textFlag('NAMESPACE/NAME', 'bind the roles to this ServiceAccount'),
    output: outputFlag(['yaml', 'json', 'table'], 'yaml'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Rbac);
    const { command, kinds } = commandOf(argv as string[]);
    const format = formatOf(flags.output, ['yaml', 'json', 'table']);
    const { with: options = [], namespace, 'service-account': serviceAccount } = flags;
    if (command === undefined)
      return writeOut(
        printedText(
          permissionsTable(Object.keys(permissions), flags),
          documentLook('table', flags),
        ),
      );
    const needs = needsOf(command, options);
    if (format === 'table')
      return writeOut(printedText(permissionsTable([command], flags), documentLook(format, flags)));
    if (namespace !== undefined && permissions[command]?.isWhole) {
      throw usageError(
        `${command} is about the whole cluster: roles in one namespace are not enough`,
        ['Leave out -n.'],
      );
    }
    if (kinds.length > 0 && needs.every(({ on }) => on !== 'named')) {
      const asked = kinds.join(' ');
      throw usageError(`${command} needs the same whichever kinds it is about: ${asked}`, [
        'Leave out the kinds.',
      ]);
    }
    const words = kinds.flatMap((kind) => kind.split(','));
    const manifests = roleManifests({ command, needs, kinds: words, namespace, serviceAccount });
    await printManifests(manifests, format);
  }
}

interface PermissionRow {
  readonly command: string;
  readonly option: string;
  readonly needs: readonly Need[];
  readonly flags: string;
}

function permissionsTable(commands: readonly string[], flags: CommonFlags): string {
  const rows = commands.flatMap((command) => {
    const { needs = [], with: more = {} } = permissions[command] ?? {};
    return [
      { command, option: '', needs, flags: '' },
      ...Object.entries(more).map(([option, one]) => ({ command, option, ...one })),
    ];
  });
  return renderItems<PermissionRow>(
    rows,
    [
      ['COMMAND', ({ command }) => command],
      ['WITH', ({ option }) => option],
      ['FOR', ({ flags: told }) => told],
      ['NEEDS', ({ needs }) => needs.map(needInWords).join('; ')],
    ],
    { ...documentLook('table', flags), now: 0 },
  );
}

/** `get leases/kube-controller-manager`: groups stand in the manifests. */
function needInWords({ verbs, on, names }: Need): string {
  const plurals = typeof on === 'string' ? on : on.map((one) => splitResource(one).resource).join();
  return `${verbs.join()} ${plurals}${names ? `/${names.join()}` : ''}`;
}

interface RolesAsked {
  /** `audit`, `snapshot save`. */
  readonly command: string;
  readonly needs: readonly Need[];
  /** The kinds that the command is about; empty: every kind that Kubernetes brings. */
  readonly kinds: readonly string[];
  /** Only there; undefined: in the whole cluster. */
  readonly namespace: string | undefined;
  /** Who gets the roles: `NAMESPACE/NAME`. */
  readonly serviceAccount: string | undefined;
}

const rbac = 'rbac.authorization.k8s.io';
const builtIn = new ResourceTypes(builtInTypes, { exhaustive: false });

/** The roles that permit a command what it needs and nothing else, and where asked the bindings to them. */
function roleManifests(asked: RolesAsked): object[] {
  const { command, namespace, serviceAccount } = asked;
  const subject = serviceAccount === undefined ? undefined : subjectOf(serviceAccount);
  const name = `kubectl-gc-${command.replace(' ', '-')}`;
  const parts =
    namespace === undefined
      ? [{ rules: rulesOf(asked, () => true), where: '' }]
      : [
          { rules: rulesOf(asked, ({ namespaced }) => namespaced), where: namespace },
          { rules: rulesOf(asked, ({ namespaced }) => !namespaced), where: '' },
        ];
  return parts
    .filter(({ rules }) => rules.length > 0)
    .flatMap(({ rules, where }) => {
      const kind = where === '' ? 'ClusterRole' : 'Role';
      const metadata = { name, ...(where && { namespace: where }), labels: ownLabels };
      const apiVersion = `${rbac}/v1`;
      const role = { apiVersion, kind, metadata, rules };
      if (!subject) return [role];
      const roleRef = { apiGroup: rbac, kind, name };
      return [role, { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects: [subject] }];
    });
}

function subjectOf(text: string) {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (rest.length === 0 && isPathSegment(namespace) && isPathSegment(name)) {
    return { kind: 'ServiceAccount', namespace, name };
  }
  throw usageError(
    `--service-account "${text}" does not name a ServiceAccount: a binding needs its namespace and its name`,
    ['Write it as NAMESPACE/NAME.'],
  );
}

type KindScope = Pick<ResourceType, 'namespaced'>;

/** One rule for all resources of a group that need the same verbs. */
function rulesOf(
  { needs, kinds, namespace }: RolesAsked,
  fits: (scope: KindScope) => boolean,
): object[] {
  const permitted = new Map<string, Need & { readonly resource: string }>();
  for (const need of needs) {
    // It is about an object of another namespace, without which the command does.
    if (namespace !== undefined && need.names) continue;
    // With a namespace and without a kind, the command is about what the namespace contains.
    const isOfNamespace = namespace !== undefined && kinds.length === 0 && need.on === 'named';
    if (isOfNamespace && !fits({ namespaced: true })) continue;
    const hasWildcard = need.on === 'everything' && fits({ namespaced: true });
    const resources = hasWildcard
      ? ['*.*']
      : resourcesOf(need, kinds).filter((resource) => fits(kindScope(resource)));
    for (const resource of resources) {
      const key = `${resource} ${need.names?.join()}`;
      const known = permitted.get(key)?.verbs ?? [];
      permitted.set(key, { ...need, resource, verbs: [...new Set([...known, ...need.verbs])] });
    }
  }
  const alike = Map.groupBy(permitted.values(), ({ resource, names, verbs }) =>
    JSON.stringify([splitResource(resource).group, names, verbs]),
  );
  return [...alike.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { resource, names, verbs } = first;
    return {
      apiGroups: [splitResource(resource).group],
      resources: same.map((one) => splitResource(one.resource).resource),
      ...(names && { resourceNames: names }),
      verbs,
    };
  });
}

/** Where a wildcard would also be one for subresources such as nodes/proxy, the kinds are named. */
function resourcesOf({ on, about }: Need, kinds: readonly string[]): readonly string[] {
  const named = kinds.length > 0 ? kinds.flatMap(resourcesNamed) : everyKind;
  if (about !== undefined && !named.includes(about)) return [];
  if (typeof on !== 'string') return on;
  if (on === 'everything') return everyKind;
  return on === 'named' ? named : named.flatMap(statusOf);
}

/** `widgets/status.example.com`: of built-in kinds no status is written. */
function statusOf(kind: string): string[] {
  const { group, resource } = splitResource(kind);
  return isBuiltInGroup(group) ? [] : [`${resource}/status.${group}`];
}

const everyKind = builtInTypes.filter(isDeletable).map(groupResourceOf);

/** Kinds of Kubernetes by any of their names; custom resources by plural and group. */
function resourcesNamed(word: string): readonly string[] {
  const { group } = splitResource(word);
  if (group !== '' && !isBuiltInGroup(group)) return [word];
  return parseTargets([word], builtIn).targets.map(({ type }) => groupResourceOf(type));
}

function kindScope(resource: string): KindScope {
  const [kind = ''] = resource.split('/');
  // Most custom resources are namespaced.
  return builtIn.versions(kind)[0] ?? { namespaced: true };
}
