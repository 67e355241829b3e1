import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { leaderOf, leaseOf } from '../../controllers/settings/control-plane-pods.ts';
import { effectiveFaults } from '../../controllers/settings/effective-settings.ts';
import { assumedVersion } from '../../controllers/settings/setting-definition.ts';
import type { ProgramFacts, SettingsFacts } from '../../controllers/settings/settings-facts.ts';
import { GcError, usageError } from '../../errors.ts';
import { reasonUnreadable } from '../../files/file-bytes.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { readText } from '../input/read-document.ts';
import { type SettingsInText, settingsInText } from './settings-in-text.ts';

export interface SettingsFiles {
  /** What was saved of a cluster: what is wrong in it is reported, and the rest is shown. */
  readonly from?: readonly string[];
  /** What the user wants to use: what is wrong in it is a usage error. */
  readonly settings?: readonly string[];
  readonly kubelet?: readonly string[];
  /** `v1.35`; undefined: the one that every test runs against. */
  readonly version?: string | undefined;
  readonly now?: Date | undefined;
}

export interface FactsOfFiles {
  readonly facts: SettingsFacts;
  readonly kubelets: boolean | undefined;
}

/** The settings that files hold; nothing is contacted. */
export async function settingsOfFiles(files: SettingsFiles): Promise<FactsOfFiles> {
  const { from = [], settings = [], kubelet = [] } = files;
  const version = files.version ?? assumedVersion;
  const read: SettingsInText[] = [];
  const problems: CoverageProblem[] = [];
  for (const path of [...settings, ...kubelet]) {
    const found = await settingsInText(await readText(path, 'settings'), path, version);
    if (!found) throw notSettings(path);
    refuse(path, found, kubelet.includes(path));
    read.push(found);
  }
  for (const path of from) {
    const paths = await filesBelow(path);
    for (const file of paths) {
      const found = await settingsInText(await readText(file, 'settings'), file, version);
      if (found) read.push(found);
      else if (paths.length === 1) throw notSettings(path);
      else problems.push(nothingIn(file));
    }
  }
  const pods = read.flatMap((one) => one.pods);
  const wanted = leaseOf(pods);
  const lease = read
    .flatMap((one) => one.leases)
    .find(({ metadata }) => {
      const { namespace, name } = Object(metadata);
      return namespace === wanted?.namespace && name === wanted?.name;
    });
  const programs = withGiven(
    read.flatMap((one) => [...one.programs, ...one.pods.map((pod) => pod.program)]),
  );
  if (programs.length === 0) throw notSettings(from.join(', '));
  const components = new Set(programs.map(({ component }) => component));
  const facts: SettingsFacts = {
    observedAt: (files.now ?? new Date()).toISOString(),
    serverVersion: files.version,
    components: order.filter((component) => components.has(component)),
    programs,
    leader: leaderOf(pods, lease, files.now?.toISOString()),
    problems,
  };
  const kubelets = read.flatMap((one) => one.given).findLast((one) => one.kubelets !== undefined);
  return { facts, kubelets: kubelets?.kubelets };
}

const order = ['kube-controller-manager', 'kube-apiserver', 'kubelet'] as const;

/** A settings file is meant instead of what programs were started with. */
function withGiven(programs: readonly ProgramFacts[]): readonly ProgramFacts[] {
  const given = programs.findLast((program) => program.given)?.given;
  const others = programs.filter((program) => !program.given);
  const isManager = ({ component }: ProgramFacts) => component === 'kube-controller-manager';
  if (!given || !others.some(isManager)) return programs;
  return others.map((program) => (isManager(program) ? { ...program, given } : program));
}

function refuse(path: string, found: SettingsInText, isKubelet: boolean): void {
  const programs = [...found.programs, ...found.pods.map((pod) => pod.program)];
  if (isKubelet && !programs.some(({ configuration }) => configuration)) {
    throw usageError(`${path} is not a KubeletConfiguration`);
  }
  for (const program of programs) {
    const [first, ...others] = effectiveFaults(program);
    const name = program.component === 'kubelet' ? 'a kubelet' : program.component;
    if (first === undefined) continue;
    throw usageError(`${name} does not start with ${path}: ${first}`, others);
  }
}

async function filesBelow(path: string): Promise<string[]> {
  if (path === '-') return [path];
  const stats = await stat(path).catch((cause: Error) => {
    const why = reasonUnreadable(cause) ?? cause.message;
    throw new GcError(`nothing could be read from ${path}: ${why}`, {
      code: 'unreadable-input',
      cause,
    });
  });
  if (!stats.isDirectory()) return [path];
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function nothingIn(path: string): CoverageProblem {
  return { reason: 'unknown-kind', message: `${path} holds no settings`, path };
}

function notSettings(path: string): Error {
  return usageError(`${path} holds no settings`, [
    "Name a file with kube-controller-manager's command line, its static pod, a KubeletConfiguration, an answer of /configz, or a settings file.",
  ]);
}
